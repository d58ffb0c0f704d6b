#!/usr/bin/env python3
"""Fixtures/mel: filter banks, the window, and log-mel spectrograms of a clip and of signals of many lengths."""
import numpy as np
import torch
import whisper
from whisper.audio import N_FRAMES, N_SAMPLES, log_mel_spectrogram, mel_filters, pad_or_trim

import common

CLIP = "espeak-fox"


def main():
    folder = common.parse_output(__doc__) / "mel"
    common.use_one_thread()
    common.write_array(folder / "hann-400", torch.hann_window(400).numpy())
    report = {"versions": common.versions(), "formula_check": {}, "clips": {}}
    audio = whisper.load_audio(str(common.FIXTURES / f"mel/{CLIP}.wav"))
    for bands in (80, 128):
        report["formula_check"][bands] = write_filters(folder, bands)
        report["clips"][f"{CLIP}-{bands}"] = write_spectrograms(folder, audio, bands)
    common.write_json(folder / "report.json", report, indent=1)
    write_lengths(folder)


def write_filters(folder, bands):
    """Writes the published filter bank; returns how far the formula is from it."""
    published = mel_filters("cpu", bands).numpy()
    common.write_array(folder / f"filters-{bands}", published)
    formula = slaney_filters(bands)
    rounded = formula.astype(np.float32)
    return {"max_abs_error": np.abs(published - formula).max(), "max_filter_value": published.max(),
            "float32_values_not_bit_equal": int((rounded != published).sum()),
            "nonzero_pattern_equal": ((rounded != 0) == (published != 0)).all()}


def slaney_filters(bands, fft_size=400):
    """The filter bank by Slaney's formula, in double precision: linear up to 1 kHz, logarithmic above."""
    log_step = np.log(6.4) / 27.0
    top = 15.0 + np.log(common.SAMPLE_RATE / 2 / 1000.0) / log_step
    mel = np.linspace(0.0, top, bands + 2)
    hertz = np.where(mel < 15.0, mel * 200.0 / 3.0, 1000.0 * np.exp((mel - 15.0) * log_step))
    bins = np.arange(fft_size // 2 + 1) * common.SAMPLE_RATE / fft_size
    low, center, high = (hertz[offset:offset + bands, None] for offset in range(3))
    triangles = np.minimum((bins - low) / (center - low), (high - bins) / (high - center))
    return np.maximum(0.0, triangles) * 2.0 / (high - low)


def write_spectrograms(folder, audio, bands):
    whole = log_mel_spectrogram(audio, bands, padding=N_SAMPLES).numpy()
    window = log_mel_spectrogram(pad_or_trim(audio), bands).numpy()
    unpadded = log_mel_spectrogram(audio, bands).numpy()
    content_frames = whole.shape[1] - N_FRAMES
    write_start(folder / f"{CLIP}-whole-{bands}", whole, content_frames, content_frames=content_frames,
                note="first frames only; every later frame equals tail_value")
    write_start(folder / f"{CLIP}-window-{bands}", window, content_frames,
                note="clip padded with zeros to 30 s first; first frames only; later frames equal tail_value")
    common.write_array(folder / f"{CLIP}-nopad-{bands}", unpadded, frames_total=unpadded.shape[1],
                       note="no padding: the last frames see the reflected end of the clip")
    return {"samples": len(audio), "whole_frames": whole.shape[1], "content_frames": content_frames,
            "nopad_frames": unpadded.shape[1]}


def write_start(path, spectrogram, frames, **notes):
    """Writes the given number of frames and 20 more, and the constant that all later ones hold."""
    kept, tail_value = frames + 20, spectrogram[0, -1]
    common.write_array(path, spectrogram[:, :kept], frames_total=spectrogram.shape[1], **notes, tail_value=tail_value,
                       tail_constant=(spectrogram[:, kept:] == tail_value).all())


def write_lengths(folder):
    """Writes columns of short signals, whose lengths are not whole frames, of silence and of an impulse."""
    cases = []
    for length in (1, 160, 201, 399, 400, 401, 1600, 16000, 16080, 24161):
        mel = padded_spectrogram(two_tones(length))
        counts = frame_counts(mel)
        cases.append({"length": length, **counts, "column0": mel[:, 0],
                      "column_last_content": mel[:, max(0, counts["content_frames"] - 1)], **extremes(mel)})
    silence, impulse = np.zeros((2, 16000), np.float32)
    impulse[8000] = 1
    for name, signal in (("zeros", silence), ("impulse", impulse)):
        mel = padded_spectrogram(signal)
        cases.append({"signal": name, "length": len(signal), **frame_counts(mel), "column0": mel[:, 0],
                      "column50": mel[:, 50], **extremes(mel)})
    signal = ("x[n] = f32(0.5*sin(2*pi*440*n/16000) + 0.25*sin(2*pi*3000*n/16000)), 80 bands, "
              "480000 zeros appended")
    common.write_cases(folder / "lengths.json", {"signal": signal}, cases)


def two_tones(length):
    time = np.arange(length)
    low = np.sin(2 * np.pi * 440.0 * time / common.SAMPLE_RATE)
    high = np.sin(2 * np.pi * 3000.0 * time / common.SAMPLE_RATE)
    return (0.5 * low + 0.25 * high).astype(np.float32)


def padded_spectrogram(signal):
    return log_mel_spectrogram(torch.from_numpy(signal), 80, padding=N_SAMPLES).numpy()


def frame_counts(mel):
    return {"frames": mel.shape[1], "content_frames": mel.shape[1] - N_FRAMES}


def extremes(mel):
    return {"max": mel.max(), "min": mel.min(), "mean": mel.astype(np.float64).mean()}


if __name__ == "__main__":
    main()
