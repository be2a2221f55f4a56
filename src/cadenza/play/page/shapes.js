/** The shapes on the timeline. */

/** How high a lane is, in pixels; inside.css says the same. */
export const ROW = 26;

/** How each shape is painted into its row. */
export const SHAPES = {
  bar(brush, { left, right, top, colour, text, palette }) {
    const width = Math.max(2.5, right - left);
    brush.fillStyle = colour;
    rounded(brush, left, top + 6, width, ROW - 11, 4);
    if (!text || width < 16) return;
    brush.fillStyle = palette.on;
    brush.font = "600 11px ui-monospace, monospace";
    brush.fillText(text.slice(0, 4), left + 4, top + ROW / 2 + 0.5);
  },
  tick(brush, { left, top, colour }) {
    brush.fillStyle = colour;
    brush.fillRect(left - 0.75, top + 5, 1.5, ROW - 9);
    brush.beginPath();
    brush.arc(left, top + 7, 3, 0, 7);
    brush.fill();
  },
  dot(brush, { left, top, colour }) {
    brush.fillStyle = colour;
    brush.beginPath();
    brush.arc(left, top + ROW / 2, 4.5, 0, 7);
    brush.fill();
  },
  cross(brush, { left, top, colour }) {
    brush.strokeStyle = colour;
    brush.lineWidth = 2.5;
    brush.beginPath();
    for (const way of [-1, 1]) {
      brush.moveTo(left - 4, top + ROW / 2 - 4 * way);
      brush.lineTo(left + 4, top + ROW / 2 + 4 * way);
    }
    brush.stroke();
  },
  pill(brush, { left, top, colour, text, palette }, isChosen) {
    brush.font = "700 11px system-ui, sans-serif";
    const width = Math.max(16, brush.measureText(text).width + 9);
    if (isChosen) {
      brush.fillStyle = palette.ink;
      rounded(brush, left - width / 2 - 2, top + 3, width + 4, ROW - 5, 9);
    }
    brush.fillStyle = colour;
    rounded(brush, left - width / 2, top + 5, width, ROW - 9, 8);
    brush.fillStyle = palette.on;
    brush.textAlign = "center";
    brush.fillText(text, left, top + ROW / 2 + 1);
    brush.textAlign = "start";
  },
};

function rounded(brush, left, top, width, height, radius) {
  brush.beginPath();
  brush.roundRect(left, top, width, height, Math.min(radius, width / 2));
  brush.fill();
}
