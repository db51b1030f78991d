// Preloaded by node: the clock starts at the time that UWF_PICTURE_TIME says. It stands, so that what is measured takes no
// time, or runs UWF_PICTURE_RATE times as fast as ours, in every process from the moment that UWF_PICTURE_SINCE says.
const { UWF_PICTURE_TIME, UWF_PICTURE_SINCE, UWF_PICTURE_RATE } = process.env;
const [time, since, rate] = [Number(UWF_PICTURE_TIME), Number(UWF_PICTURE_SINCE), Number(UWF_PICTURE_RATE)];
const now = Date.now;
Date.now = () => time + Math.round((now() - since) * rate);
