// Preloaded by node: the clock stands a year earlier, as after a machine lost its battery.
const real = Date.now;
Date.now = () => real() - 365 * 24 * 3600 * 1000;
