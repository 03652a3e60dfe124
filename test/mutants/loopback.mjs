/**
 * Preloaded into every test of a mutant: no connection leaves the machine, whatever rule of the guarded client is broken. Node has
 * no public place for it; a name's address is known only where the socket is opened.
 */
const { TCP } = process.binding("tcp_wrap");
const unreachable = -101;
const isOwn = (address) => /^(::ffff:)?(127\.|0\.0\.0\.0$)|^::1?$/.test(address);

for (const name of ["connect", "connect6"]) {
  const real = TCP.prototype[name];
  TCP.prototype[name] = function connect(request, address, ...rest) {
    return isOwn(address) ? real.call(this, request, address, ...rest) : unreachable;
  };
}
