/**
 * Contract of the port Ledger: holds, outcomes and their list, voids, grants, corrections, and the sum that
 * never changes. Amounts are micro-credits. Bound by docs/service.md, Ledger and Void.
 */
import { describe } from 'vitest'
import { describeBudgets } from './ledger-budgets-contract.ts'
import { describeCorrections } from './ledger-corrections-contract.ts'
import { describeDays } from './ledger-days-contract.ts'
import { describeDeadlines } from './ledger-deadlines-contract.ts'
import { describeForgiveness } from './ledger-forgiveness-contract.ts'
import { describeGrants } from './ledger-grants-contract.ts'
import { describeHolds } from './ledger-holds-contract.ts'
import { describeOutcomeLists } from './ledger-list-contract.ts'
import { describeOutcomes } from './ledger-outcomes-contract.ts'
import { describeSums } from './ledger-sums-contract.ts'
import { describeVoids } from './ledger-voids-contract.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeLedger(name: string, makePorts: MakePorts): void {
  describe(`${name}: ledger`, () => {
    const opened = openedPorts(makePorts)
    describe('holds', () => describeHolds(opened))
    describe('holds of tasks', () => describeDeadlines(opened))
    describe('outcomes and releases', () => describeOutcomes(opened))
    describe('lists of outcomes', () => describeOutcomeLists(opened))
    describe('voids', () => describeVoids(opened))
    describe('forgiveness', () => describeForgiveness(opened))
    describe('grants', () => describeGrants(opened))
    describe('corrections', () => describeCorrections(opened))
    describe('budgets', () => describeBudgets(opened))
    describe('calls per day', () => describeDays(opened))
    describe('sums', () => describeSums(opened))
  })
}
