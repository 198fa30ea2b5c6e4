/**
 * `npm run bench:tail`: both tails of the reply stream in one run. First what they ask of the store and
 * how long replies wait for them, counted; then both through the twin, timed. Prints Markdown for
 * docs/performance.md. Takes about six minutes; the machine should have nothing else to do.
 */
import { printMachine } from '../lib/figures.ts'
import { measureHours, measureWaits } from './count.ts'
import { measureLatency } from './latency.ts'

printMachine('npm run bench:tail')
await measureHours()
await measureWaits()
await measureLatency()
