/** Kill tests of REST calls. */
import { killSuite } from './suite.ts'

killSuite(/^REST/)
