/** Deaths while a death is healed, and under an Idempotency-Key. */
import { healingSuite, keyedSuite } from './suite.ts'

healingSuite()
keyedSuite()
