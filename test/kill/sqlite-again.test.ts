/** Deaths while a death is healed, and under an Idempotency-Key, on the SQLite store's file. */
import { healingSuite, keyedSuite } from './suite.ts'

healingSuite('sqlite')
keyedSuite('sqlite')
