"""Who spoke when: the whole chain in numpy, as an oracle."""
import numpy as np

import networks as nets

RATE = 16000
HOP = 270                                # samples from one segmentation frame to the next
DELAY = 320                              # samples; speech starts and ends this much later than the network says
FIELD = 495 + DELAY                      # centre of the first frame's receptive field, with the delay
EDGE = (FIELD - HOP / 2) / RATE          # where frame 0 begins, 42.5 ms

# seconds of window and step, then: cut of the tree, least and most size of a cluster, cosine of
# the centres above which two clusters are one voice
CAMPPLUS = dict(window=1.2, step=0.6, cut=0.60, least=3, most=12, merge=0.60)
STEP = 1.0                               # s between segmentation windows
PEAK, REACH = 0.6, 29                    # share of the maximum within this many frames
SPEECH, SECOND = 0.5, 1.4                # least people expected for one, and for two
BLEND = 0.9                              # s, within which windows count for a frame
SURE = 0.9                               # share of a local voice's frames that must agree
BRIDGE, SHORTEST_REGION = 0.2, 0.2       # s, of speech before windows are laid
FILL, DROP = 0.3, 0.2                    # s, of the segments that come out
LARGEST = 3000                           # windows that the tree is built from


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)

# ---------------------------------------------------------------- speech


def segment(weights, samples):
    """Local voices of every window (windows, frames, 3), the people that its classes' probabilities
    let expect (windows, frames), the first frame of each window on the common grid, and how many
    people talk in every frame of the grid."""
    size = nets.seconds(weights) * RATE
    step = int(STEP * RATE)
    count = 1 if len(samples) <= size else -(-(len(samples) - size) // step) + 1
    padded = np.zeros((count - 1) * step + size, np.float32)
    padded[:len(samples)] = samples
    logits = np.stack([nets.segmentation(weights, padded[i * step:i * step + size])["logits"] for i in range(count)])
    talk, expected = nets.active(logits), nets.expected(logits)
    first = [int(round(i * step / HOP)) for i in range(count)]
    total = first[-1] + talk.shape[1]
    people, seen = np.zeros(total), np.zeros(total)
    for at, local in zip(first, expected):
        people[at:at + len(local)] += local
        seen[at:at + len(local)] += 1
    people /= np.maximum(seen, 1)
    padded = np.pad(people, REACH)
    peak = np.lib.stride_tricks.sliding_window_view(padded, 2 * REACH + 1).max(axis=1)
    speech = people > np.maximum(SPEECH, PEAK * np.minimum(1, peak))
    return talk, expected, first, speech * np.where(people > SECOND, 2, 1)


def seconds(frame, length):
    return 0.0 if frame == 0 else min(length, frame * HOP / RATE + EDGE)


def runs(on):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(np.int8), [0]])))
    return zip(edges[::2], edges[1::2])


def regions(people, length):
    out = []
    for a, b in runs(people > 0):
        a, b = seconds(a, length), seconds(b, length)
        if out and a - out[-1][1] < BRIDGE:
            out[-1][1] = b
        else:
            out.append([a, b])
    return [(a, b) for a, b in out if b - a >= SHORTEST_REGION]

# ---------------------------------------------------------------- voices


def lay(region, window, step):
    """Windows of equal length that cover a region evenly; a short region is one window."""
    a, b = region
    if b - a <= window:
        return [(a, b)]
    count = int(np.ceil((b - a - window) / step))
    return [(a + (b - a - window) * i / count, a + (b - a - window) * i / count + window)
            for i in range(count + 1)]


def embed(weights, samples, windows):
    features = nets.fbank80(np.pad(samples, (0, RATE)), mean=False)
    vectors = []
    for a, b in windows:
        count = max(20, int(round((b - a) * 100)) - 2)
        at = max(0, min(int(round(a * 100)), len(features) - count))
        x = features[at:at + count]
        vectors.append(nets.campplus(weights, x - x.mean(axis=0))["embedding"])
    return unit(np.array(vectors))

# ---------------------------------------------------------------- clustering


def tree(points):
    """Average linkage on cosine distance: [(a, b, distance)], merges in order; cluster n + i is
    the i-th merge. Keeps the full matrix and a nearest neighbour per row."""
    n = len(points)
    d = (1 - points @ points.T).astype(np.float64)
    np.fill_diagonal(d, np.inf)
    names, sizes, near = np.arange(n), np.ones(n), d.argmin(axis=1) if n > 1 else np.zeros(n, int)
    alive, merges = np.ones(n, bool), []
    for i in range(n - 1):
        rows = np.flatnonzero(alive)
        a = rows[d[rows, near[rows]].argmin()]
        b = near[a]
        merges.append((names[a], names[b], d[a, b]))
        row = (sizes[a] * d[a] + sizes[b] * d[b]) / (sizes[a] + sizes[b])
        alive[b], sizes[a], names[a] = False, sizes[a] + sizes[b], n + i
        row[~alive], row[a] = np.inf, np.inf
        d[a], d[:, a], d[b], d[:, b] = row, row, np.inf, np.inf
        near[a] = row.argmin()
        stale = np.flatnonzero(alive & ((near == a) | (near == b)))
        near[stale] = d[stale].argmin(axis=1)
        closer = alive & (row < d[np.arange(n), near])
        near[closer] = a
    return merges


def cut(merges, n, distance=None, count=None):
    parent = np.arange(2 * n)
    for i, (a, b, far) in enumerate(merges):
        if (count is None and far > distance) or (count is not None and n - i <= count):
            break
        parent[a] = parent[b] = n + i
    labels = np.arange(n)
    while True:
        up = parent[labels]
        if (up == labels).all():
            return np.unique(labels, return_inverse=True)[1]
        labels = up


def centres(points, labels):
    return unit(np.stack([points[labels == k].mean(axis=0) for k in range(labels.max() + 1)]))


def absorb(points, labels, smallest):
    """Clusters with fewer than `smallest` members join the larger one with the nearest centre."""
    sizes = np.bincount(labels)
    large = np.flatnonzero(sizes >= min(smallest, sizes.max()))
    where = large[(centres(points, labels) @ centres(points, labels)[large].T).argmax(axis=1)]
    where[large] = large
    return np.unique(where[labels], return_inverse=True)[1]


def settle(points, labels):
    """Everyone to the nearest centre, until nothing moves (at most ten times)."""
    for _ in range(10):
        new = (points @ centres(points, labels).T).argmax(axis=1)
        new = np.unique(new, return_inverse=True)[1]
        if np.array_equal(new, labels):
            break
        labels = new
    return labels


def fuse(points, labels, cosine, least=1):
    """Joins the two clusters with the most similar centres while they are more alike than
    `cosine` and more than `least` are left."""
    while labels.max() + 1 > least:
        c = centres(points, labels)
        alike = np.triu(c @ c.T, 1) - 2 * np.tri(len(c))
        a, b = np.unravel_index(alike.argmax(), alike.shape)
        if alike[a, b] < cosine:
            break
        labels = np.unique(np.where(labels == b, a, labels), return_inverse=True)[1]
    return labels


def cluster(points, c, speakers=None, least=1, most=None):
    """A label for every window."""
    every = -(-len(points) // LARGEST)
    sample = points[::every]
    n = len(sample)
    if n == 1:
        return np.zeros(len(points), int)
    smallest = int(np.clip(round(0.03 * n), c["least"], c["most"]))
    merges = tree(sample)
    labels = settle(sample, absorb(sample, cut(merges, n, distance=c["cut"]), smallest))
    labels = settle(sample, fuse(sample, labels, c["merge"]))
    low, high = (speakers, speakers) if speakers else (least, most or n)
    if labels.max() + 1 < low:                                # cut lower until there are enough
        for count in range(low, min(n, low + 60) + 1):
            size = smallest if count < low + 30 else 1
            labels = absorb(sample, cut(merges, n, count=count), size)
            if labels.max() + 1 >= low:
                break
        labels = settle(sample, labels)
    if labels.max() + 1 > high:
        labels = settle(sample, fuse(sample, labels, -2, least=high))
    if every > 1:
        labels = (points @ centres(sample, labels).T).argmax(axis=1)
        labels = settle(points, np.unique(labels, return_inverse=True)[1])
    return labels

# ---------------------------------------------------------------- time line


def timeline(talk, first, people, speech, windows, similarities, length):
    """`similarities` (windows, speakers): the cosine of each window and each speaker."""
    speakers, total = similarities.shape[1], len(people)
    middle = np.array([(a + b) / 2 for a, b in windows])
    times = np.arange(total) * HOP / RATE + FIELD / RATE
    base = np.full(total, -1)                                # the speaker of each frame of speech
    for a, b in speech:
        inside = np.flatnonzero((middle > a) & (middle < b))
        i, j = np.searchsorted(times, [a, b])
        weights = np.maximum(0, BLEND - np.abs(times[i:j, None] - middle[inside]))
        base[i:j] = (weights @ similarities[inside]).argmax(axis=1)
    votes = np.zeros((total, speakers))
    for at, local in zip(first, talk):
        here, many = base[at:at + len(local)], local.sum(axis=1)
        for k in range(3):
            mine = local[:, k] > 0
            clear = mine & (many == 1) & (here >= 0)
            if clear.sum() * HOP < 0.2 * RATE:
                clear = mine & (here >= 0)
            if not clear.any():
                continue
            share = np.bincount(here[clear], minlength=speakers) / clear.sum()
            rows = at + np.flatnonzero(mine)
            if share.max() >= SURE:                          # the local voice is one cluster
                votes[rows, share.argmax()] += 1
            else:                                            # it is not: frame by frame
                known = rows[base[rows] >= 0]
                votes[known, base[known]] += 1
                votes[at + np.flatnonzero(mine & (many > 1))] += 0.5 * share
    order, out = np.argsort(-votes, axis=1, kind="stable"), []
    on = np.zeros((total, speakers), bool)
    for rank in range(min(speakers, 2)):
        rows = np.flatnonzero(people > rank)
        on[rows, order[rows, rank]] = votes[rows, order[rows, rank]] > 0
    for k in range(speakers):
        mine = []
        for a, b in runs(on[:, k]):
            a, b = seconds(a, length), seconds(b, length)
            if mine and a - mine[-1][1] < FILL:
                mine[-1][1] = b
            elif b > a:
                mine.append([a, b])
        out += [(a, b, k) for a, b in mine if b - a >= DROP]
    names = {}
    return [(a, b, names.setdefault(k, len(names))) for a, b, k in sorted(out)]


def diarize(samples, segmenter, encoder, speakers=None, least=1, most=None, log=None):
    """[(start, end, speaker)] in seconds; speakers are numbered as they appear."""
    length = len(samples) / RATE
    talk, expected, first, people = segment(segmenter, samples)
    speech = regions(people, length)
    if not speech:
        return []
    c = CAMPPLUS
    windows = [w for region in speech for w in lay(region, c["window"], c["step"])]
    points = embed(encoder, samples, windows)
    labels = cluster(points, c, speakers, least, most)
    similarities = points @ centres(points, labels).T
    if log is not None:
        log.update(talk=talk, expected=expected, people=people, windows=np.array(windows), points=points,
                   labels=labels, similarities=similarities)
    return timeline(talk, first, people, speech, windows, similarities, length)
