/**
 * `npm run bench:tail`: both tails of the reply stream in one run. First counts their store
 * requests and the wait of replies, then times both through the twin. Prints Markdown for
 * docs/performance.md. Takes about six minutes; the machine should have nothing else to do.
 * `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { printMachine } from '../lib/figures.ts'
import { measureHours, measureWaits } from './count.ts'
import { measureLatency } from './latency.ts'

printMachine('npm run bench:tail')
await measureHours()
await measureWaits()
await measureLatency()
