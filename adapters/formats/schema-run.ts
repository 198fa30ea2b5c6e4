/**
 * The state of one check of a value: what may still be spent, and the faults so far. Each schema that meets
 * a value, and each member, item and character block that a keyword reads, is a step, so that a value and a
 * schema of any shape end after a known time.
 */
import type { FieldFault } from '../../core/errors.ts'
import type { Json } from '../../core/json/json.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'
import { faultText } from './fault-text.ts'

/** Steps of one check: 20 to 30 ms. A body of 1 MiB of plain records takes a tenth of them. */
export const STEPS_MAX = 1_000_000
/** For the patterns of one check, where re2js makes states or searches without them: 10 to 35 ns each, 100 ms at most. */
export const PATTERN_STEPS_MAX = 3_000_000
/** Faults in one answer; the check ends with the last of them. */
export const FAULTS_MAX = 20
/** Characters of a text that are read in one step. */
export const CHARS_PER_STEP = 16

/** Where in the value; made for each member and item, written out for a fault alone. */
export type Place = { readonly above: Place | undefined; readonly key: string | number }

/**
 * The names and items that schemas in the same place have evaluated, for `unevaluatedProperties` and
 * `unevaluatedItems`.
 */
export type Evaluated = {
  readonly names: Set<string>
  readonly items: Set<number>
  /** All items before this one. */
  itemsUpTo: number
}

export type Run = {
  stepsLeft: number
  readonly faults: FieldFault[]
  /** Faults that are still wanted; with none, the first misfit decides. */
  room: number
  patternStepsLeft: number
  /** Patterns that could not be checked, each time one was met: see {@link isSure}. */
  unknowns: number
}

/** The check was stopped, so it is not known whether the value fits. */
export class Unchecked extends Error {
  readonly fault: FieldFault

  constructor(at: Place | undefined, message: string) {
    super('unchecked')
    this.fault = { pointer: pointerTo(at), message }
  }
}

export function newRun(): Run {
  return {
    stepsLeft: STEPS_MAX,
    faults: [],
    room: FAULTS_MAX,
    patternStepsLeft: PATTERN_STEPS_MAX,
    unknowns: 0,
  }
}

/**
 * Whether all patterns have been checked since `before` of `unknowns`. A value counts as fitting a pattern that cannot be checked, so
 * a keyword that refuses a value for fitting asks this first.
 */
export function isSure(run: Run, before: number): boolean {
  return run.unknowns === before
}

export function spend(run: Run, steps: number): void {
  run.stepsLeft -= steps
  if (run.stepsLeft >= 0) return
  throw new Unchecked(
    undefined,
    `takes over ${STEPS_MAX} steps to check against the schema of this skill; send less at a time`,
  )
}

/** Notes a fault, where one is wanted; false, so that a check can end with it. */
export function misfit(
  run: Run,
  at: Place | undefined,
  keyword: string,
  limit: Json | undefined,
): false {
  if (run.room === 0) return false
  run.room -= 1
  run.faults.push({ pointer: pointerTo(at), message: faultText(keyword, limit) })
  return false
}

/** Whether all fit; looks at no more of them once a misfit decides. */
export function allFit<T>(run: Run, items: Iterable<T>, check: (item: T) => boolean): boolean {
  let fitting = true
  for (const item of items) {
    if (check(item)) continue
    if (run.room === 0) return false
    fitting = false
  }
  return fitting
}

/** Steps for making two sets; what is put in costs more. */
const STEPS_PER_SEEN = 12

export function newEvaluated(run: Run): Evaluated {
  spend(run, STEPS_PER_SEEN)
  return { names: new Set(), items: new Set(), itemsUpTo: 0 }
}

/** Steps for putting one name or item into a set. */
export const STEPS_PER_NOTE = 12

/** True, so that the check of a member can end with it. */
export function noteName(run: Run, evaluated: Evaluated | undefined, name: string): true {
  if (evaluated === undefined) return true
  spend(run, STEPS_PER_NOTE)
  evaluated.names.add(name)
  return true
}

export function noteItem(run: Run, evaluated: Evaluated | undefined, index: number): void {
  if (evaluated === undefined) return
  spend(run, STEPS_PER_NOTE)
  evaluated.items.add(index)
}

export function addEvaluated(run: Run, to: Evaluated, from: Evaluated): void {
  spend(run, STEPS_PER_NOTE * (from.names.size + from.items.size))
  for (const name of from.names) to.names.add(name)
  for (const item of from.items) to.items.add(item)
  to.itemsUpTo = Math.max(to.itemsUpTo, from.itemsUpTo)
}

export function pointerTo(at: Place | undefined): string {
  const keys: (string | number)[] = []
  for (let place = at; place !== undefined; place = place.above) keys.push(place.key)
  return jsonPointer(keys.reverse())
}
