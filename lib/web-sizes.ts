/**
 * What the platform is told of the Web Function, as plain data: the stack deploys it, and tests and the bench start the
 * process with it.
 */

/** As lambdas/web/limits.ts has them; test/lib/web-stack.test.ts compares. */
export const WEB_SIZES = {
  concurrentRequestsMax: 128,
  timeoutSec: 900,
  /**
   * Many idle streams leave much short-lived garbage. V8 would let it take 32 MB and more before it collects, and that
   * is most of what a stream costs in memory (`npm run bench:web`).
   */
  nodeOptions: '--max-semi-space-size=1',
}
