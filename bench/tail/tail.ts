/**
 * `npm run bench:tail`: both tails of the reply stream in one run. Counts their store requests and the wait of
 * replies. Prints Markdown for docs/performance.md.
 * `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { printMachine } from '../lib/figures.ts'
import { measureHours, measureWaits } from './count.ts'

printMachine('npm run bench:tail')
await measureHours()
await measureWaits()
