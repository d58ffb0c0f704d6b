/** A WAV file of mono 16-bit samples at 16 kHz, from a list of Int16Arrays. */
export function wavOf(frames) {
  const bytes = frames.reduce((sum, frame) => sum + frame.byteLength, 0);
  const header = new DataView(new ArrayBuffer(44));
  const write = (offset, text) => [...text].forEach((letter, i) => header.setUint8(offset + i, letter.charCodeAt(0)));
  write(0, "RIFF");
  header.setUint32(4, 36 + bytes, true);
  write(8, "WAVEfmt ");
  header.setUint32(16, 16, true); // size of the format chunk
  header.setUint16(20, 1, true); // integer samples
  header.setUint16(22, 1, true); // channels
  header.setUint32(24, 16_000, true);
  header.setUint32(28, 32_000, true); // bytes per second
  header.setUint16(32, 2, true); // bytes per sample
  header.setUint16(34, 16, true); // bits per sample
  write(36, "data");
  header.setUint32(40, bytes, true);
  return new Blob([header, ...frames], { type: "audio/wav" });
}
