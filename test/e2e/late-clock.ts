/**
 * Preloaded into a twin (`node --import`): its clock is two minutes ahead of the machine's and runs as
 * fast. A twin that is started again with it finds what was left behind two minutes ago.
 */
const AHEAD_MS = 120_000

const realNow = Date.now

Date.now = () => realNow() + AHEAD_MS
