/**
 * Puts the program's name into texts for a person. Texts of this repository name commands as
 * `skillgate users ls`; where that is not installed, a person has to type `npx skillgate users ls`.
 * All talk on stderr and all help passes here, so no text has to know how it was started.
 */
import type { Output } from './shell.ts'

/** A command in a text: the name alone, before the word of a command or an option. */
const COMMAND = /(?<![\w/@.-]|npx )skillgate (?=(--?)?([\w-]+))/g

/**
 * Returns the text with `program` in place of `skillgate` before each word of `words` and before
 * an option. Names of servers and files stay.
 */
export function putProgramName(text: string, program: string, words: ReadonlySet<string>): string {
  if (program === 'skillgate') return text
  return text.replaceAll(COMMAND, (whole, dashes: string | undefined, word: string) =>
    words.has(dashes === undefined ? word : `${dashes}${word}`) ? `${program} ` : whole,
  )
}

/** Returns what may follow the name of the program in a text. */
export function listFirstWords(
  commands: readonly { readonly name: string }[],
): ReadonlySet<string> {
  return new Set([...commands.map(({ name }) => name.split(' ')[0] ?? name), 'COMMAND', '--help'])
}

/** Wraps an output, so that each text that is written to it names the program. */
export function withProgramName(
  output: Output,
  program: string,
  words: ReadonlySet<string>,
): Output {
  return { ...output, write: (text) => output.write(putProgramName(text, program, words)) }
}
