/** The server's clock in ms. `now` is real time plus the sandbox offset; `real` is for signatures and timers. */
export interface Clock {
  now(): number;
  real(): number;
}
