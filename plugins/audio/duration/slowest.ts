/** 8 kbit/s: the lowest rate that speech is sent at. */
export const slowestBytesPerSecond = 1_000;
