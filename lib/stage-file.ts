/**
 * Makes a stage of skillgate.config.json for the CDK app, the programs of a clone and scripts. Also
 * checks the rules of all other stages of the file, so that its faults are known at once.
 */
import {
  type Config,
  type ConfigPlace,
  describeConfigFaults,
  readStagesFile,
} from '../adapters/stages/config-file.ts'
import type { Stage } from './stage.ts'
import { findStageErrors } from './stage-rules.ts'
import { getStage } from './stages.ts'

/** Returns the stage. Throws an Error with a line for each fault of the file, or of the name. */
export function loadStage(name: unknown, place: ConfigPlace): Stage {
  const config = readStagesFile(place)
  const faults = findRuleFaults(config)
  if (faults.length > 0) throw new Error(describeConfigFaults(config.shown, faults))
  return getStage(name, config.records)
}

function findRuleFaults({ records }: Config): readonly string[] {
  return [...records.keys()].flatMap((name) =>
    findStageErrors(getStage(name, records)).map((fault) => `stages.${name}.${fault}`),
  )
}
