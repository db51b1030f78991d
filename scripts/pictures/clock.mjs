// Preloaded by node: the clock stands at the time that UWF_PICTURE_TIME says, and what is measured takes no time.
const time = Number(process.env.UWF_PICTURE_TIME);
Date.now = () => time;
