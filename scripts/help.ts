/**
 * Answers `--help` of the script that a person started with the script's opening comment, and ends the
 * process. A script imports this file before all others, for its effect alone, so that help starts
 * nothing. Scripts with a text of their own call answer-help.ts instead.
 */
import { readFileSync } from 'node:fs'
import { answerHelp, asksForHelp } from './answer-help.ts'

const [, started = ''] = process.argv

if (asksForHelp()) {
  const [, comment = ''] = /^\/\*\*\n(.*?)\n \*\//s.exec(readFileSync(started, 'utf8')) ?? []
  answerHelp(comment.replaceAll(/^ \* ?/gm, ''))
}
