/**
 * The state of one check of a value: the remaining steps, and the errors so far. Each schema that
 * is applied to a value is a step, and so is each member, item and block of characters that a
 * keyword reads. So the check of any value against any schema ends after a known time.
 */
import type { FieldError } from '../../core/errors.ts'
import type { Json } from '../../core/json/json.ts'
import { toJsonPointer } from '../../core/json/json-pointer.ts'
import { describeMisfit } from './misfit-text.ts'

/** Steps of one check, 20 to 30 ms. A body of 1 MiB of plain records takes a tenth of them. */
export const STEPS_MAX = 1_000_000
/** Steps of re2js for the patterns of one check: 10 to 35 ns each, 100 ms at most. */
export const PATTERN_STEPS_MAX = 3_000_000
/** Errors in one answer; the check ends with the last of them. */
export const FIELD_ERRORS_MAX = 20
/** Characters of a text that are read in one step. */
export const CHARS_PER_STEP = 16

/** A place in the value, made for each member and item; it becomes a pointer only for an error. */
export type ValuePlace = { readonly above: ValuePlace | undefined; readonly key: string | number }

/** Names and items that schemas of the same value evaluated, for the `unevaluated…` keywords. */
export type EvaluatedParts = {
  readonly names: Set<string>
  readonly items: Set<number>
  /** All items before this index are evaluated. */
  itemsUpTo: number
}

export type SchemaRun = {
  stepsLeft: number
  readonly faults: FieldError[]
  /** How many errors may still be noted; at 0 the first misfit ends the check. */
  room: number
  patternStepsLeft: number
  /** How often a pattern could not be checked: see {@link isSure}. */
  unknowns: number
}

/** The check ran out of steps, so the result is unknown. */
export class OutOfSteps extends Error {
  readonly fault: FieldError

  constructor(at: ValuePlace | undefined, message: string) {
    super('unchecked')
    this.fault = { pointer: toPointer(at), message }
  }
}

export function newRun(): SchemaRun {
  return {
    stepsLeft: STEPS_MAX,
    faults: [],
    room: FIELD_ERRORS_MAX,
    patternStepsLeft: PATTERN_STEPS_MAX,
    unknowns: 0,
  }
}

/**
 * True if every pattern was checked since `unknowns` was `before`. A value is treated as fitting a
 * pattern that cannot be checked, so a keyword that refuses a value because it fits must call this
 * first.
 */
export function isSure(run: SchemaRun, before: number): boolean {
  return run.unknowns === before
}

/** Throws {@link OutOfSteps} if no steps are left. */
export function spend(run: SchemaRun, steps: number): void {
  run.stepsLeft -= steps
  if (run.stepsLeft >= 0) return
  throw new OutOfSteps(
    undefined,
    `takes over ${STEPS_MAX} steps to check against the schema of this skill; send less at a time`,
  )
}

/** Notes an error if there is room. Returns false, so that a check can end with this call. */
export function noteMisfit(
  run: SchemaRun,
  at: ValuePlace | undefined,
  keyword: string,
  limit: Json | undefined,
): false {
  if (run.room === 0) return false
  run.room -= 1
  run.faults.push({ pointer: toPointer(at), message: describeMisfit(keyword, limit) })
  return false
}

/** True if all items fit; stops at a misfit if no further error may be noted. */
export function allFit<T>(
  run: SchemaRun,
  items: Iterable<T>,
  check: (item: T) => boolean,
): boolean {
  let fitting = true
  for (const item of items) {
    if (check(item)) continue
    if (run.room === 0) return false
    fitting = false
  }
  return fitting
}

/** Steps that making two sets costs. */
const STEPS_PER_EVALUATED = 12

export function makeEvaluated(run: SchemaRun): EvaluatedParts {
  spend(run, STEPS_PER_EVALUATED)
  return { names: new Set(), items: new Set(), itemsUpTo: 0 }
}

/** Steps that adding a name or item to a set costs. */
export const STEPS_PER_NOTE = 12

/** Returns true, so that the check of a member can end with this call. */
export function noteName(
  run: SchemaRun,
  evaluated: EvaluatedParts | undefined,
  name: string,
): true {
  if (evaluated === undefined) return true
  spend(run, STEPS_PER_NOTE)
  evaluated.names.add(name)
  return true
}

export function noteItem(
  run: SchemaRun,
  evaluated: EvaluatedParts | undefined,
  index: number,
): void {
  if (evaluated === undefined) return
  spend(run, STEPS_PER_NOTE)
  evaluated.items.add(index)
}

export function addEvaluated(run: SchemaRun, to: EvaluatedParts, from: EvaluatedParts): void {
  spend(run, STEPS_PER_NOTE * (from.names.size + from.items.size))
  for (const name of from.names) to.names.add(name)
  for (const item of from.items) to.items.add(item)
  to.itemsUpTo = Math.max(to.itemsUpTo, from.itemsUpTo)
}

export function toPointer(at: ValuePlace | undefined): string {
  const keys: (string | number)[] = []
  for (let place = at; place !== undefined; place = place.above) keys.push(place.key)
  return toJsonPointer(keys.reverse())
}
