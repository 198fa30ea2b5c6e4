/**
 * Contract of the port Ledger: holds, outcomes and their list, voids, grants, corrections, and the sum that
 * never changes. Amounts are micro-credits. Bound by docs/service.md, Ledger and Void.
 */
import { describe } from 'vitest'
import { describeBudgets } from './ledger-budgets-contract.ts'
import { describeCorrections } from './ledger-corrections-contract.ts'
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
    describe('hold', () => describeHolds(opened))
    describe('outcome and release', () => describeOutcomes(opened))
    describe('list', () => describeOutcomeLists(opened))
    describe('void', () => describeVoids(opened))
    describe('grant', () => describeGrants(opened))
    describe('correction', () => describeCorrections(opened))
    describe('budget', () => describeBudgets(opened))
    describe('sums', () => describeSums(opened))
  })
}
