"""The peers, installed from PyPI into an environment that can be thrown away."""
import os
import subprocess
import sys
from pathlib import Path

#: openai-whisper asks for triton, which the processor does not need and which is large.
PACKAGES = ["faster-whisper==1.2.1", "transformers", "safetensors", "tiktoken", "numba", "more-itertools", "tqdm"]


def environment(folder):
    """Makes the environment unless it is there.

    Returns its Python and the variables that the engines' processes get.
    """
    folder = Path(folder)
    python = folder / "bin/python"
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)

        def install(*words, **variables):
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *words], check=True,
                           env=os.environ | variables)

        # PyTorch for processors alone where pip finds it, else the general one.
        if subprocess.run([str(python), "-m", "pip", "install", "--quiet", "torch==2.13.0+cpu"]).returncode:
            install("torch")
        install(*PACKAGES)
        install("--no-deps", "openai-whisper==20250625")
        install("--no-binary", "pywhispercpp", "pywhispercpp==1.5.1", CMAKE_ARGS="-DGGML_NATIVE=ON")
        (folder / "complete").touch()
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    libraries = next(folder.glob("lib/python3*/site-packages"))
    # pywhispercpp leaves its libraries beside its module.
    variables["LD_LIBRARY_PATH"] = str(libraries)
    variables["HF_HUB_OFFLINE"] = "1"
    return str(python), variables


def versions(python):
    script = ("import importlib.metadata as m\n"
              "for n in ('faster-whisper', 'ctranslate2', 'pywhispercpp', 'openai-whisper', 'torch'):\n"
              "    print(n, m.version(n))")
    output = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in output.splitlines())
