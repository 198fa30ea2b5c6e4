/** Kill tests of calls on a stream. */
import { killSuite } from './suite.ts'

killSuite(/^SSE/)
