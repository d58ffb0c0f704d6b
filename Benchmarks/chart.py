"""A bar chart as SVG, readable on light and dark ground."""
from xml.sax.saxutils import escape

OURS, OTHERS = "#2a7de1", "#9aa3ad"


def bars(title, rows):
    """`rows`: (group, name, value). One bar for each, the groups one below the other."""
    left, right, height, gap = 190, 470, 16, 26
    most = max((value for _, _, value in rows), default=1)
    y, parts, group = 40, [], None
    for of, name, value in rows:
        if of != group:
            group, y = of, y + (gap if group is not None else 0)
            parts.append(f'<text x="8" y="{y + 12}" font-weight="bold">{escape(of)}</text>')
            y += height + 6
        width = value / most * (right - left)
        color = OURS if name.startswith("whisper-local") else OTHERS
        parts.append(f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{height - 2}" fill="{color}"/>')
        parts.append(f'<text x="{left + width + 5:.1f}" y="{y + 12}">{value:.0f}</text>')
        y += height + 2
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="520" height="{y + 20}" font-family="sans-serif" '
            f'font-size="11" fill="#808080"><text x="8" y="20" font-size="14">{escape(title)}</text>'
            + "".join(parts) + "</svg>\n")
