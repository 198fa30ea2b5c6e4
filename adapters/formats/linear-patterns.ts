/**
 * Runs translated patterns with re2js, whose work is at most the length of the text times the size
 * of the pattern. Mostly it is far less, because re2js caches the states of a search. So steps are
 * counted where re2js works: when it makes a state, and when it searches without states. Both use
 * members of its declared types, and its version is fixed. The tests of `PATTERN_STEPS_MAX` fail if
 * a newer version works differently.
 */
import { RE2JS, RE2Set } from 're2js'
import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { PatternEngine, SearchText } from './compiled-schema.ts'

/** Compiled searches that are cached by their text; the least recently used is dropped first. */
const SEARCHES_MAX = 256
/** Bytes of the cached states of one search; re2js drops them when there are more. */
const STATES_BYTES_MAX = 65_536
/** Steps that making a state costs, besides the instructions in it and in the one before. */
const STEPS_PER_STATE = 8

const searches = new Map<string, SearchText>()

export const searchLinearly: PatternEngine = (source) => {
  const known = searches.get(source) ?? compile(source)
  keepYoungest(searches, source, known, SEARCHES_MAX)
  return known
}

/** Compiles a set of one pattern, the only form of re2js whose memory can be limited. */
function compile(source: string): SearchText {
  const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.LOOKBEHINDS, STATES_BYTES_MAX)
  set.add(source)
  set.compile()
  let length = 0
  let spend: (steps: number) => void = () => undefined
  countStates(set, (steps) => spend(steps))
  countInstructions(set, (instructions) => spend(instructions * (length + 1)))
  return (text, spendSteps) => {
    length = text.length
    spend = spendSteps
    return set.match(text).length > 0
  }
}

type State = { readonly nfaStates: readonly number[]; readonly next: readonly unknown[] | null }

/** Counts states: `step` goes to the next state, and makes it if it is not cached. */
function countStates({ dfa }: RE2Set, spend: (steps: number) => void): void {
  const step = dfa.step.bind(dfa)
  dfa.step = (state: State, cls: number, rune: number, anchor: number) => {
    const isKnown = (state.next?.[cls] ?? null) !== null
    const next: State | null = step(state, cls, rune, anchor)
    if (!isKnown) {
      spend(STEPS_PER_STATE + state.nfaStates.length + (next === null ? 0 : next.nfaStates.length))
    }
    return next
  }
}

/** Counts searches without states: re2js reads `dummyRe2` when one begins. */
function countInstructions(set: RE2Set, spend: (instructions: number) => void): void {
  const { dummyRe2, prog } = set
  Object.defineProperty(set, 'dummyRe2', {
    get: () => {
      spend(prog.numInst())
      return dummyRe2
    },
  })
}
