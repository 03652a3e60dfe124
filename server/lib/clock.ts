/** The server's time in ms. `now` is real time plus the sandbox offset; `real` is what signatures and timers use. */
export interface Clock {
  now(): number;
  real(): number;
}
