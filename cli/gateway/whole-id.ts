/**
 * Finds the id that a person means. People copy ids from lists, and type the beginning of one; each
 * command that takes the id of a listed thing accepts any beginning that only one of them has.
 */
import { getArgument, type Invocation } from '../command/command.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'

/** Fewer characters are more likely a slip than a choice. */
export const BEGINNING_CHARS_MIN = 4
/** Ids that an ambiguous beginning names. */
const CANDIDATES_SHOWN_MAX = 5
/** What is typed may be a secret, such as a whole key, so messages show its start alone. */
const TYPED_CHARS_SHOWN = 8

export type Choice = {
  readonly id: string
  /** Other texts that name it, such as the prefix of a key. */
  readonly aliases?: readonly string[]
}

/**
 * Returns the id of the one choice that `typed` names: by its whole id or alias, else by the
 * beginning of one. `noun` and `list` are for messages, as in `no key` and `skillgate keys ls ada`.
 */
export function findWholeId(
  typed: string,
  choices: readonly Choice[],
  { list, noun }: { readonly noun: string; readonly list: string },
): string {
  const named = choices.filter((choice) => listNames(choice).includes(typed))
  const found =
    named.length > 0 || typed.length < BEGINNING_CHARS_MIN
      ? named
      : choices.filter((choice) => listNames(choice).some((name) => name.startsWith(typed)))
  const [only, second] = found
  if (only !== undefined && second === undefined) return only.id
  const shown = typed.slice(0, TYPED_CHARS_SHOWN)
  if (only === undefined) {
    const chars = `A beginning has ${BEGINNING_CHARS_MIN} characters or more.`
    throw new CommandFault(`There is no ${noun} ${shown}.`, {
      remedy: typed.length < BEGINNING_CHARS_MIN ? chars : `See ${list}.`,
    })
  }
  const ids = found.slice(0, CANDIDATES_SHOWN_MAX).map(({ id }) => id)
  const more = found.length - ids.length
  throw new CommandFault(`${found.length} of the ${noun}s begin with ${shown}.`, {
    exitCode: EXIT.usage,
    details: [...ids, ...(more > 0 ? [`and ${more} more`] : [])],
    remedy: `Type more of it; ${list} --json shows ids whole.`,
  })
}

function listNames({ aliases = [], id }: Choice): readonly string[] {
  return [id, ...aliases.filter((alias) => alias !== '')]
}

/** Returns the command line with the whole id in place of what was typed. */
export function withWholeId(
  call: Invocation,
  argument: string,
  find: (typed: string) => string,
): Invocation {
  const id = find(getArgument(call, argument))
  return { ...call, words: { ...call.words, [argument]: [id] } }
}
