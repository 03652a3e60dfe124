/** A second with less is silent: microphones that are on are louder, and so is every game with music. In dB. */
export const quietDb = -60;
