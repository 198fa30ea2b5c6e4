/** Deaths while a death is healed, in a row of calls, and under an Idempotency-Key. */
import { healingSuite, keyedSuite, rowSuite } from './suite.ts'

healingSuite()
keyedSuite()
rowSuite()
