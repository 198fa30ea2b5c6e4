/** All contract suites of the store ports over one store, opened once. The caller closes it. */
import { describeAnswers } from './answers-contract.ts'
import { describeBroadcast } from './broadcast-contract.ts'
import { describeCallRecords } from './call-records-contract.ts'
import { describeKeys } from './keys-contract.ts'
import { describeLedger } from './ledger-contract.ts'
import { describeMinuteCounter } from './minute-counter-contract.ts'
import { describeProfiles } from './profiles-contract.ts'
import { describeReplyStream } from './reply-stream-contract.ts'
import { describeSecrets } from './secrets-contract.ts'
import { describeSessions } from './sessions-contract.ts'
import { describeSkills } from './skills-contract.ts'
import type { MakePorts, StorePorts } from './store-ports.ts'
import { describeStreamLeases } from './stream-leases-contract.ts'
import { describeSweepMarks } from './sweep-marks-contract.ts'
import { describeToolsCache } from './tools-cache-contract.ts'

export function describeStorePorts(name: string, makePorts: MakePorts): void {
  let made: Promise<StorePorts> | undefined
  const once: MakePorts = () => {
    made ??= makePorts()
    return made
  }
  describeKeys(name, once)
  describeMinuteCounter(name, once)
  describeSkills(name, once)
  describeCallRecords(name, once)
  describeToolsCache(name, once)
  describeBroadcast(name, once)
  describeProfiles(name, once)
  describeLedger(name, once)
  describeSweepMarks(name, once)
  describeSecrets(name, once)
  describeAnswers(name, once)
  describeSessions(name, once)
  describeReplyStream(name, once)
  describeStreamLeases(name, once)
}
