/** Kill tests of REST calls on the SQLite store's file. */
import { killSuite } from './suite.ts'

killSuite('sqlite', /^REST/)
