import { type Device, deviceNames } from "../../../src/contract/games.ts";

export const deviceLabels: Record<Device, string> = {
  PC: "PC (Windows)",
  Mac: "Mac",
  Linux: "Linux",
  iOS: "iPhone and iPad",
  Android: "Android",
};

export const devices = deviceNames.map((name) => ({ value: name, label: deviceLabels[name] }));
