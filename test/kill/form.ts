/** Whether this run is `npm run test:long`, which has all cases, or `npm test`, the most telling ones. */
export const IS_LONG = process.env['TEST_LONG'] === '1'
