#!/usr/bin/env python3
"""Golden data for FastConformer models with TDT, RNN-T and CTC heads, and for streaming ones: what transformers computes
with the random models of parakeet_model.py, which are written, too. Only words, and the frames of CTC tokens, are
grouped here.

Writes parakeet/.
"""
import hashlib
import shutil
import wave

from common import (FIXTURES, np, parse_output, use_one_thread, versions, write_array as write_f32, write_json)

import parakeet_model as mp

CLIPS = FIXTURES / "clips"
PUNCTUATION = set("?'¡¿-:,%/.!")

# name -> preset, head, seed, clip; for some: sizes other than the preset's, blank bias, seconds of the clip
SETS = {"tdt": ("micro", "tdt", 1, "say-01"), "tdt-bias": ("micro-bias", "tdt", 1, "say-01"),
        "rnnt": ("micro-bias", "rnnt", 4, "say-01"), "ctc": ("micro", "ctc", 1, "say-01"),
        # Left contexts so short that keys are forgotten.
        "streaming": ("micro", "streaming", 1, "say-01", "mels=80,left=14", 2.0, None),
        "streaming35": ("micro", "streaming35", 1, "say-01", "left=14,pred_layers=1", 1.5, 1.6)}
# The lookahead of streaming models where only one is compared.
LOOKAHEAD = 6


# Those that are also written in NVIDIA's own formats and, where it can hold them, in whisper.cpp's.
FORMATS = {"tdt", "ctc", "streaming35"}


def write_formats(folder, sizes, weights):
    mp.write_nemo(folder / "f16.nemo", sizes, weights, "f16")
    for kind in ("f16", "q8_0") if sizes["head"] == "tdt" else ("f16",):
        mp.write_gguf(folder / f"{kind}.gguf", sizes, weights, kind, positions=20)
        if sizes["head"] == "tdt":
            mp.write_ggml(folder / f"ggml-{kind}.bin", sizes, weights, kind)


def read_wav(path):
    with wave.open(str(path)) as w:
        assert (w.getframerate(), w.getnchannels(), w.getsampwidth()) == (16000, 1, 2), path
        return np.frombuffer(w.readframes(w.getnframes()), dtype="<i2").astype(np.float32) / 32768


def build(preset, head, seed, dims, bias, folder):
    """Writes the model, returns (sizes, model, processor)."""
    sizes = mp.sizes_of(preset, head, dims)
    weights = mp.Weights(sizes, seed, bias)
    mp.write_hf(folder, sizes, weights, "f16")
    if folder.parent.name in FORMATS:
        write_formats(folder.parent, sizes, weights)
    cls = getattr(transformers, mp.config_json(sizes)["architectures"][0])
    # Only eager attention returns its weights; but with streaming models, transformers 5.24 then inverts its mask.
    attention = "sdpa" if head.startswith("streaming") else "eager"
    model = cls.from_pretrained(folder, attn_implementation=attention, dtype=torch.float32).eval()
    return sizes, model, transformers.AutoProcessor.from_pretrained(folder)


def words_of(pieces, spans):
    """[(text, start, end)] from pieces and frames: a piece that begins with the mark opens a word, punctuation never."""
    out = []
    for piece, (start, end) in zip(pieces, spans):
        bare = piece.replace(mp.MARK, "")
        if not bare and piece == mp.MARK:
            out.append(["", start, end])
        elif (piece.startswith(mp.MARK) and bare not in PUNCTUATION) or not out:
            out.append([bare, start, end])
        else:
            out[-1][0] += bare
            out[-1][2] = end
    return [[w, round(a * 0.08, 2), round(b * 0.08, 2)] for w, a, b in out if w]


def collapse(pieces, spans):
    """TDT: punctuation takes no time, it sits at the end of the piece before it."""
    out = list(spans)
    for i in range(1, len(out)):
        if pieces[i] in PUNCTUATION:
            out[i] = (out[i - 1][1], out[i - 1][1])
    return out


def generate(sizes, model, processor, inputs):
    """ids, frames and durations of the tokens, text, token times of transformers, words."""
    head, v = sizes["head"], sizes["vocab"]
    names = [p for p, _ in mp.pieces_of(head, v)]
    with torch.no_grad():
        out = model.generate(**inputs)
    if head == "ctc":
        ids = out[0].tolist()
        tokens, spans = [], []
        for t, token in enumerate(ids):
            if token != v and (t == 0 or ids[t - 1] != token):
                tokens.append(token)
                spans.append([t, t + 1])
            elif token != v:
                spans[-1][1] = t + 1
        result = {"sequence": ids, "text": processor.batch_decode(out)[0]}
    else:
        ids, steps = out.sequences[0].tolist()[1:], out.durations[0].tolist()[1:]
        text, times = processor.decode(out.sequences, durations=out.durations, skip_special_tokens=True)
        at, tokens, spans, durations = 0, [], [], []
        for token, step in zip(ids, steps):
            if token != v:
                tokens.append(token)
                spans.append([at, at + (step if head == "tdt" else 1)])
                durations.append(step)
            at += step
        result = {"sequence": ids, "advances": steps, "text": text[0], "token_times": times[0]}
        if head == "tdt":
            result["durations"] = durations
    pieces = [names[t] for t in tokens]
    shown = collapse(pieces, spans) if head == "tdt" else spans
    return result | {"tokens": tokens, "pieces": pieces, "frames": [a for a, _ in spans], "words": words_of(pieces, shown)}


def hooks(model):
    """Records the input of each norm (the residual stream) and every layer's output."""
    seen, handles = {}, []

    def before(name):
        return lambda module, args: seen.__setitem__(name, args[0].detach().clone()) or None

    def after(name):
        return lambda module, args, out: seen.__setitem__(name, (out[0] if isinstance(out, tuple) else out).detach().clone())

    enc = model.encoder
    handles.append(enc.subsampling.register_forward_hook(after("subsampled")))
    for i, layer in enumerate(enc.layers):
        handles.append(layer.register_forward_hook(after(f"layer-{i}")))
    first = enc.layers[0]
    for norm, name in ((first.norm_self_att, "layer-0-after-feed-forward-1"), (first.norm_conv, "layer-0-after-attention"),
                       (first.norm_feed_forward2, "layer-0-after-convolution"),
                       (first.norm_out, "layer-0-after-feed-forward-2")):
        handles.append(norm.register_forward_pre_hook(before(name)))
    handles.append(first.self_attn.register_forward_hook(
        lambda m, a, out: None if out[1] is None else seen.__setitem__("layer-0-attention-weights", out[1].detach().clone())))
    return seen, handles


def encode(sizes, model, inputs):
    """{name: array} of one whole-clip pass, cut to the valid frames, and the numbers of frames."""
    seen, handles = hooks(model)
    ctc = sizes["head"] == "ctc"
    with torch.no_grad():
        out = model.encoder(**inputs) if ctc else model.get_audio_features(**inputs)
    for h in handles:
        h.remove()
    n = int(out.attention_mask.sum())
    arrays = {"features": inputs["input_features"][0].numpy()}
    for name, x in seen.items():
        x = x[0].numpy()
        arrays[name] = x[:, :n, :n] if "weights" in name else x[:n]
    if ctc:
        arrays["logits"] = model.ctc_head(out.last_hidden_state)[0, :n].detach().numpy()
    else:
        arrays["projected"] = out.pooler_output[0, :n].detach().numpy()
    return arrays, {"feature_frames": len(arrays["features"]), "valid_feature_frames": int(inputs["attention_mask"].sum()),
                    "encoder_frames_total": seen["subsampled"].shape[1], "encoder_frames": n}


def first_logits(sizes, model, projected, result, count=6):
    """Joint outputs of the first steps of greedy decoding."""
    from transformers.models.parakeet.generation_parakeet import ParakeetRNNTDecoderCache
    v, rows, at = sizes["vocab"], [], 0
    cache = ParakeetRNNTDecoderCache(model.config)
    with torch.no_grad():
        pred = model.decoder(torch.tensor([[v]]), cache=cache).clone()
        states = [pred[0, 0].numpy()]
        for token, step in list(zip(result["sequence"], result["advances"]))[:count]:
            x = model.joint(decoder_hidden_states=pred, encoder_hidden_states=torch.from_numpy(projected)[at][None, None])
            rows.append(x[0, 0].numpy())
            if token != v:
                pred = model.decoder(torch.tensor([[token]]), cache=cache).clone()
                states.append(pred[0, 0].numpy())
            at += step
    return np.stack(rows), np.stack(states)


def margins(sizes, model, arrays, result):
    """The smallest distances of the best logit to the second along the greedy path: tokens, durations."""
    v = sizes["vocab"]

    def gap(x):
        two = np.sort(x)[-2:]
        return float(two[1] - two[0])

    if sizes["head"] == "ctc":
        return {"token": min(gap(x) for x in arrays["logits"])}
    rows, _ = first_logits(sizes, model, arrays["projected"], result, len(result["sequence"]))
    out = {"token": min(gap(x[:v + 1]) for x in rows)}
    if sizes["head"] == "tdt":
        out["duration"] = min(gap(x[v + 1:]) for x in rows)
    return out


def stream(model, processor, audio, lookahead):
    """{name: array} chunk by chunk, and what was decoded. The last chunk is filled with zero samples."""
    processor.set_num_lookahead_tokens(lookahead)
    first, later = processor.num_mel_frames_first_audio_chunk, processor.num_mel_frames_per_audio_chunk
    starts = [0, *range(first, len(audio) // 160 + 1, later)]
    # The frames of a chunk, from half a transform before the first of them on.
    audio = np.concatenate([np.zeros(256, np.float32), audio, np.zeros(160 * later + 512, np.float32)])
    chunks, cache, padding, encoded, projected = [], None, None, [], []
    for start in starts:
        count = later if start else first
        # The sample before serves pre-emphasis; the window is zero there.
        piece = audio[160 * start:160 * start + 160 * (count - 1) + 512]
        emphasized = processor(piece, sampling_rate=16000, is_streaming=True, is_first_audio_chunk=False)
        chunks.append(emphasized["input_features"][:, :count])
    with torch.no_grad():
        for x in chunks:
            out = model.get_audio_features(
                input_features=x, cache=cache, padding_cache=padding, num_lookahead_tokens=lookahead, use_cache=True,
                output_attention_mask=False)
            cache, padding = out.cache, out.padding_cache
            encoded.append(out.last_hidden_state[0].numpy().copy())
            projected.append(out.pooler_output[0].numpy().copy())
        features = torch.cat(chunks, 1)
        whole = model.get_audio_features(input_features=features, num_lookahead_tokens=lookahead,
                                         attention_mask=torch.ones(features.shape[:2], dtype=torch.bool))
        generated = model.generate(input_features=(x for x in chunks), num_lookahead_tokens=lookahead)
    encoded, n = np.concatenate(encoded), whole.last_hidden_state.shape[1]
    difference = float(np.abs(encoded[:n] - whole.last_hidden_state[0].numpy()[:len(encoded)]).max())
    return {"encoded": encoded, "projected": np.concatenate(projected)}, {
        "feature_frames": features.shape[1], "difference_to_whole": difference,
        "sequence": generated.sequences[0].tolist()[1:]}


def endings(model, processor, audio):
    """The last frame of clips of eight lengths, and the number of frames of each."""
    processor.set_num_lookahead_tokens(LOOKAHEAD)
    frames, counts = [], []
    for n in range(80, 88):
        with torch.no_grad():
            out = model.get_audio_features(**processor(audio[:160 * n + 37], sampling_rate=16000))
        counts.append(int(out.attention_mask.sum()))
        frames.append(out.last_hidden_state[0, counts[-1] - 1].numpy())
    return np.stack(frames), counts


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(name, out):
    preset, head, seed, clip, *more = SETS[name]
    dims, bias, seconds = more or (None, mp.CALIBRATED[preset, head, seed], None)
    audio = read_wav(CLIPS / f"{clip}.wav")[:int(seconds * 16000) if seconds else None]
    folder = out / "model"
    sizes, model, processor = build(preset, head, seed, dims, bias, folder)
    # transformers does not need it, nor do the tests.
    (folder / "tokenizer_config.json").unlink()
    options = f"--head {head} --seed {seed} --dtype f16" + (f" --dims {dims}" if dims else "")
    head_line = {"model": f"parakeet_model.py {preset} {options}", "blank_bias": bias,
                 "model.safetensors sha256": digest(folder / "model.safetensors"),
                 "tokenizer.json sha256": digest(folder / "tokenizer.json"),
                 "clip": f"clips/{clip}.wav", "samples": len(audio),
                 "versions": versions("torch", "numpy", "transformers")}
    inputs = dict(processor(audio, sampling_rate=16000))
    arrays, counts = encode(sizes, model, inputs)
    result = generate(sizes, model, processor, inputs)
    if head != "ctc":
        arrays["first-logits"], arrays["predictions"] = first_logits(sizes, model, arrays["projected"], result)
    report = head_line | counts | {"margins": margins(sizes, model, arrays, result), "whole": result}
    if head.startswith("streaming"):
        report["streams"] = {}
        for lookahead in sizes["lookaheads"]:
            more, report["streams"][lookahead] = stream(model, processor, audio, lookahead)
            arrays |= {f"{key}-{lookahead}": x for key, x in more.items()}
        arrays["endings"], report["endings"] = endings(model, processor, audio)
    for key, x in arrays.items():
        write_f32(out / key, x)
    write_json(out / "result.json", report, 1)


if __name__ == "__main__":
    output = parse_output(__doc__)
    use_one_thread()
    import torch
    import transformers
    transformers.logging.set_verbosity_error()
    for name in SETS:
        main(name, output / "parakeet" / name)
