/** Kill tests of calls on a stream, on the SQLite store's file. */
import { killSuite } from './suite.ts'

killSuite('sqlite', /^SSE/)
