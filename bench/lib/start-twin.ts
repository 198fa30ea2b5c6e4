/** The twin as `npm start` starts it: with the same flags of Node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MeasuredProcess, startMeasured } from './measured-process.ts'

const TWIN = 'local/main.ts'

/** `args`: of the twin. */
export function startTwin(args: readonly string[]): Promise<MeasuredProcess> {
  return startMeasured(TWIN, args, nodeFlags())
}

/** What stands between `node` and the file in the script `start`. */
export function nodeFlags(): readonly string[] {
  const file = join(import.meta.dirname, '../../package.json')
  const [node, ...rest] = String(JSON.parse(readFileSync(file, 'utf8')).scripts.start).split(' ')
  if (node !== 'node' || rest.at(-1) !== TWIN) throw new Error('npm start starts something else')
  return rest.slice(0, -1)
}
