"""The peers: their environment, their model files, and the processes that run them."""
import importlib.util
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import BENCHMARKS, ROOT, fail, stop_at_once

#: openai-whisper is installed without its dependencies, because triton is large and not needed on a CPU.
PACKAGES = ["faster-whisper==1.2.1", "transformers", "safetensors", "tiktoken", "numba", "more-itertools", "tqdm"]
#: Name in the tables: engine, model format, compute type.
PEERS = {"faster-whisper float32": ("faster_whisper", "ct2", "float32"),
         "faster-whisper int8": ("faster_whisper", "ct2", "int8"),
         "whisper.cpp f16": ("whisper_cpp", "ggml", "f16"), "whisper.cpp q8_0": ("whisper_cpp", "q8_0", "q8_0"),
         "whisper.cpp q5_0": ("whisper_cpp", "q5_0", "q5_0"),
         "openai-whisper float32": ("openai_whisper", "pt", "float32"),
         "openai-whisper bfloat16 (encoder only)": ("openai_whisper", "pt", "bfloat16")}
#: Peers for live recognition; only live.py runs them.
LIVE_PEERS = {f"whisper-streaming, faster-whisper {name}": ("whisper_streaming", "ct2", name) for name in ("float32", "int8")}
#: Only subtitles.py runs it.
SUBTITLE_PEERS = {"stable-ts float32": ("stable_ts", "pt", "float32")}
#: Programs that run Parakeet models; only parakeet.py runs them.
PARAKEET_PEERS = {"transformers float32": ("transformers", "hf", "float32"),
                  "transformers bfloat16": ("transformers", "hf", "bfloat16"),
                  "onnx-asr float32": ("onnx_asr", "onnx", "float32"), "onnx-asr int8": ("onnx_asr", "onnx", "int8"),
                  "CrispASR f16": ("crispasr", "gguf-f16", "f16"), "CrispASR q8_0": ("crispasr", "gguf-q8_0", "q8_0")}
#: The ones that can transcribe.
RECOGNIZERS = [name for name in PEERS if not name.endswith("(encoder only)")]
#: What limits PyTorch and CTranslate2 to an instruction set of whisper-local: their own kernels, oneDNN and MKL. MKL obeys its
#: variable only on Intel's processors.
LIMITS = ("ATEN_CPU_CAPABILITY", "CT2_FORCE_CPU_ISA", "ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS")
INSTRUCTION_SETS = {"baseline": ("default", "GENERIC", "SSE41", "SSE4_2"), "avx2": ("avx2", "AVX2", "AVX2", "AVX2"),
                    "avxvnni": ("avx2", "AVX2", "AVX2_VNNI", "AVX2"),
                    "avx512": ("avx512", "AVX512", "AVX512_CORE", "AVX512"),
                    "avx512vnni": ("avx512", "AVX512", "AVX512_CORE_VNNI", "AVX512"),
                    "avx512bf16": ("avx512", "AVX512", "AVX512_CORE_BF16", "AVX512")}
#: Seconds that a peer may spend on one timed job.
TIMEOUT = 90


class Environment:
    """A virtual environment with the peers, installed from PyPI if the user agrees, unless the folder already exists.

    From then on, a signal ends this process and all that it has started.
    """

    FOLDER = ".build/peers"
    #: The script that installs it.
    SCRIPT = "compare.py"
    #: What the peers need on the disk and of the network, and in addition while they are being installed, in bytes.
    SIZE, SIZE_MEANWHILE = 1_700_000_000, 1_500_000_000
    #: Whether pip compiles some of them.
    COMPILES = True
    VERSIONED = ("faster-whisper", "ctranslate2", "pywhispercpp", "openai-whisper", "torch")

    def __init__(self, options):
        folder = options.environment
        stop_at_once()
        if not os.access(options.program, os.X_OK):
            fail(f"no such program: {options.program}", "scripts/setup.sh, or name a program with --program")
        self.python = str(folder / "bin/python")
        if not (folder / "complete").exists():
            self.check_tools(folder)
            if not options.yes:
                self.ask(folder)
            self.create(folder)
        self.variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
        # pywhispercpp installs its shared libraries next to its module.
        self.variables["LD_LIBRARY_PATH"] = str(next(folder.glob("lib/python3*/site-packages")))
        self.variables["HF_HUB_OFFLINE"] = "1"

    def create(self, folder):
        print(f"installing the peers into {folder}", file=sys.stderr)
        run([sys.executable, "-m", "venv", str(folder)], "create a virtual environment", "apt install python3-venv")
        self.install_packages()
        (folder / "complete").touch()

    def install_packages(self):
        # The CPU build of PyTorch where pip finds it, otherwise the default build.
        if self.install("torch==2.13.0+cpu", check=False):
            self.install("torch")
        self.install(*PACKAGES)
        self.install("--no-deps", "openai-whisper==20250625")
        self.install("--no-deps", "whisper-streaming==0.1.0", "opus-fast-mosestokenizer")
        self.install("--no-binary", "pywhispercpp", "pywhispercpp==1.5.1", CMAKE_ARGS="-DGGML_NATIVE=ON")

    def limit(self, instruction_set):
        """Limits whisper-local, PyTorch and CTranslate2; whisper.cpp is compiled for this processor."""
        self.variables["WHISPER_LOCAL_INSTRUCTION_SET"] = instruction_set
        self.variables |= zip(LIMITS, INSTRUCTION_SETS[instruction_set])

    def install(self, *arguments, check=True, **variables):
        """Returns the exit status of pip."""
        return run([self.python, "-m", "pip", "install", "--quiet", "--no-input", *arguments],
                   f"install {' '.join(name for name in arguments if not name.startswith('-'))}",
                   "check the network; run it again to continue", check=check, variables=variables)

    def versions(self):
        script = f"import importlib.metadata as m\nfor n in {self.VERSIONED}: print(n, m.version(n))"
        output = subprocess.run([self.python, "-c", script], capture_output=True, text=True, check=True).stdout
        return dict(line.split() for line in output.splitlines())

    def model_files(self, model, folder, script="convert.py"):
        """Returns the paths of a model by format; `model` is what the script takes."""
        result = subprocess.run([self.python, str(BENCHMARKS / script), str(model), str(folder)], capture_output=True, text=True)
        if result.returncode:
            fail(f"cannot write the model {model} to {folder}: {last_line(result.stderr)}",
                 f"check the space on the disk; if the peers are damaged, delete {self.FOLDER}")
        return json.loads(result.stdout.splitlines()[-1])

    def check_tools(self, folder):
        """Fails unless there is everything that installing the peers needs."""
        missing = [package for package, found in (
            ("python3-venv", importlib.util.find_spec("ensurepip")),
            ("g++", not self.COMPILES or shutil.which("c++") or shutil.which("g++"))) if not found]
        if missing:
            fail("the peers cannot be installed: missing " + " and ".join(missing), "apt install " + " ".join(missing))
        place = folder.resolve()
        while not place.exists():
            place = place.parent
        free, needed = shutil.disk_usage(place).free, self.SIZE + self.SIZE_MEANWHILE
        if free < needed:
            fail(f"the peers need {needed / 1e9:.1f} GB in {place}, which has {free / 1e9:.1f}",
                 "free some space, or choose another folder with --environment")

    def ask(self, folder):
        """Ends the program unless the user agrees."""
        size = f"{self.SIZE / 1e9:.1f} GB from PyPI"
        if not sys.stdin.isatty():
            fail(f"the peers are not installed in {folder}, and standard input is not a terminal to ask on",
                 f"Benchmarks/{self.SCRIPT} --yes, which installs them ({size})", status=64)
        print(f"install the peers into {folder} ({size})? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            sys.exit(0)


class ParakeetEnvironment(Environment):
    """The programs that run Parakeet models, and what converts a model for them."""

    FOLDER, SCRIPT = ".build/parakeet-peers", "parakeet.py"
    SIZE, SIZE_MEANWHILE = 6_000_000_000, 3_000_000_000
    COMPILES = False
    VERSIONED = ("transformers", "torch", "onnx-asr", "onnxruntime", "crispasr")

    def install_packages(self):
        self.install("torch==2.15.0", "transformers==5.24.0")
        self.install("onnx-asr==0.12.0", "onnxruntime", "crispasr==0.8.45")
        # These convert the model.
        self.install("onnx", "onnxscript", "gguf==0.19.0")


class SubtitleEnvironment(Environment):
    """The programs whose subtitles are scored."""

    FOLDER, SCRIPT = ".build/subtitle-peers", "subtitles.py"
    COMPILES = False
    VERSIONED = ("openai-whisper", "faster-whisper", "stable-ts", "torch")

    def install_packages(self):
        if self.install("torch==2.13.0+cpu", check=False):
            self.install("torch")
        self.install(*PACKAGES)
        self.install("--no-deps", "openai-whisper==20250625", "stable-ts==2.19.1")
        # stable-ts imports torchaudio, whose wheels need CUDA's libraries, but uses it only for files that it reads itself.
        for folder in Path(self.python).parents[1].glob("lib/python*/site-packages"):
            (folder / "torchaudio.py").touch()


def add_environment(parser, kind=Environment):
    parser.add_argument("--environment", type=Path, default=ROOT / kind.FOLDER,
                        help=f"virtual environment for the peers (default: {kind.FOLDER})")
    parser.add_argument("--yes", action="store_true",
                        help=f"install the peers there without asking ({kind.SIZE / 1e9:.1f} GB from PyPI)")


def run(command, what, advice, check=True, variables=None):
    """Runs a command; if it fails, ends the program with the last line that it has written, or returns its exit status."""
    result = subprocess.run(command, env=os.environ | (variables or {}), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if result.returncode and check:
        fail(f"cannot {what}: {last_line(result.stdout)}", advice)
    return result.returncode


def last_line(text):
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it failed")


class Peer:
    """A process that keeps one engine with one model loaded, from its first job on."""

    def __init__(self, name, environment, files, threads, timeout=TIMEOUT):
        self.engine, model_format, compute_type = (PEERS | LIVE_PEERS | SUBTITLE_PEERS | PARAKEET_PEERS)[name]
        self.name, self.timeout = name, timeout
        self.command = [environment.python, str(BENCHMARKS / "engines" / f"{self.engine}_worker.py")]
        self.variables = environment.variables
        self.model = {"path": files[model_format], "threads": threads, "compute_type": compute_type}
        self.process = None

    def start(self):
        self.errors = tempfile.TemporaryFile("w+", errors="replace")
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, env=self.variables)
        self.load_ms = self.run("load", **self.model)["load_ms"]

    def supports(self, job, beams=1, batch=1, vad=False, **_):
        if self.name not in RECOGNIZERS:
            return job == "window" and beams == 1
        return self.engine == "faster_whisper" or batch == 1 and not vad

    def run(self, job, **arguments):
        """Returns the result of a job, or `None` if it timed out; the process is then ended."""
        if not self.process:
            self.start()
        print(json.dumps({"job": job} | arguments), file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], self.timeout)[0]:
            self.process.kill()
            self.process.wait()
            self.process = None
            return None
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            raise SystemExit(f"{self.name} exited during this job: {job}: {last_line(self.errors.read())}")
        return json.loads(line)

    def texts(self, paths, guard=False, **arguments):
        """The transcript of each recording; `None` if one of them timed out, because it may never finish. `guard` is
        ignored: peers have no guards."""
        results = [self.run("recording", path=str(path), **arguments) for path in paths]
        return [result["text"] for result in results] if all(results) else None

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process = None
