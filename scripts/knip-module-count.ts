/**
 * A second reporter for knip (`npm run dead`): prints how many modules knip read, and fails if
 * there are none, because with a wrong glob in knip.json knip finds no dead code either.
 */
import type { ReporterOptions } from 'knip'

export default function countModules({ counters }: ReporterOptions): void {
  if (counters.processed === 0) throw new Error('dead code: knip saw no module')
  console.log(`dead code: ${counters.processed} modules read`)
}
