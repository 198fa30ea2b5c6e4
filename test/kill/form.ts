/** True for `npm run test:long`, which runs all cases; `npm test` runs the most important ones. */
export const IS_LONG = process.env['TEST_LONG'] === '1'
