/**
 * Answers `--help` of a script with the script's opening comment, and ends the process. A script
 * imports this file before all others, only for this effect, so that help starts nothing. Arguments
 * after `--` are not the script's.
 */
import { readFileSync } from 'node:fs'

const [, started = '', ...args] = process.argv
const end = args.indexOf('--')
const own = end === -1 ? args : args.slice(0, end)

if (own.includes('--help') || own.includes('-h')) {
  const [, comment = ''] = /^\/\*\*\n(.*?)\n \*\//s.exec(readFileSync(started, 'utf8')) ?? []
  process.stdout.write(`${comment.replaceAll(/^ \* ?/gm, '')}\n`)
  process.exit(0)
}
