/**
 * Runs translated patterns with re2js, whose work is at most the length of the text times the size of the pattern. Mostly it is far
 * less, because re2js remembers the states that a search has been in. So the steps are counted where re2js works: where it
 * makes a state, and where it searches without states. Both are methods and fields of its declared types, and re2js
 * has a fixed version; the tests of `PATTERN_STEPS_MAX` fail where a newer one works otherwise.
 */
import { RE2JS, RE2Set } from 're2js'
import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { PatternEngine, SearchText } from './compiled-schema.ts'

/** Compiled searches that are kept by their text, the least recently used dropped first. */
const SEARCHES_MAX = 256
/** Bytes of the remembered states of one search; re2js forgets them when there are more. */
const STATES_BYTES_MAX = 65_536
/** Of making a state, besides the instructions in it and in the one before. */
const STEPS_PER_STATE = 8

const searches = new Map<string, SearchText>()

export const linearPatterns: PatternEngine = (source) => {
  const known = searches.get(source) ?? compile(source)
  keepYoungest(searches, source, known, SEARCHES_MAX)
  return known
}

/** A set of one: the only form of re2js whose memory can be limited. */
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

/** `step` leads from one state to the next; it makes the next one where none is remembered. */
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

/** `dummyRe2` is read where a search without states begins. */
function countInstructions(set: RE2Set, spend: (instructions: number) => void): void {
  const { dummyRe2, prog } = set
  Object.defineProperty(set, 'dummyRe2', {
    get: () => {
      spend(prog.numInst())
      return dummyRe2
    },
  })
}
