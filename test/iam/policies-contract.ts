/**
 * What must hold between the policies of functions and the requests that these send: each is allowed, what a
 * stolen role would make of it is refused, and a policy with one part less would be noticed.
 */
import { describe, expect, test } from 'vitest'
import { DOORS, type Door } from '../../lib/doors.ts'
import { narrowed, widened } from './changed-policies.ts'
import { type Authorization, allows } from './evaluate.ts'
import { forgeriesOf } from './forgeries.ts'
import type { Statement } from './policy.ts'

export type PolicySubject = {
  /** Of the statements that the requests are about. */
  readonly policyOf: (door: Door) => readonly Statement[]
  /** Read inside of tests only: requests that earlier tests of the file have sent. */
  readonly sentBy: (door: Door) => readonly Authorization[]
}

export function describePolicies(name: string, { policyOf, sentBy }: PolicySubject): void {
  describe(`${name}: the policies of the functions`, () => {
    test.each(DOORS)('the policy of %s allows every request of the function', (door) => {
      const policy = policyOf(door)
      expect(sentBy(door).filter((asked) => !allows(policy, asked))).toEqual([])
    })

    test.each(DOORS)('the policy of %s refuses every forgery of such a request', (door) => {
      const policy = policyOf(door)
      const forged = sentBy(door).flatMap((sent) => forgeriesOf(sent, door))
      expect(forged.filter((asked) => allows(policy, asked))).toEqual([])
    })
  })
}

/** A part or a condition that nothing of the requests needs would stay unnoticed. */
export function describeGaps(name: string, { policyOf, sentBy }: PolicySubject): void {
  describe(`${name}: the policies of the functions`, () => {
    test.each(DOORS)('the policy of %s with one part less refuses a request', (door) => {
      const sent = sentBy(door)
      const unnoticed = narrowed(policyOf(door)).filter(({ statements }) =>
        sent.every((asked) => allows(statements, asked)),
      )
      expect(unnoticed.map(({ without }) => without)).toEqual([])
    })

    test.each(DOORS)('the policy of %s with one condition less allows a forgery', (door) => {
      const forged = sentBy(door).flatMap((sent) => forgeriesOf(sent, door))
      const unnoticed = widened(policyOf(door)).filter(
        ({ statements }) => !forged.some((asked) => allows(statements, asked)),
      )
      expect(unnoticed.map(({ without }) => without)).toEqual([])
    })
  })
}
