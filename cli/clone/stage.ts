/**
 * The stage of a program of a clone: `--stage NAME` (dev), of the file that `--config PATH`, `-c
 * config=PATH` among the words for the CDK, SKILLGATE_CONFIG or the working folder gives.
 */
import type { Stage } from '../../lib/stage.ts'
import { loadStage } from '../../lib/stage-file.ts'
import type { Shell } from '../terminal/shell.ts'

/** Returns the stage. Throws an Error with a line for each fault of the file. */
export function loadStageOf(
  { config, stage = 'dev' }: { readonly config?: string | undefined; readonly stage?: string },
  { cwd, env }: Pick<Shell, 'cwd' | 'env'>,
): Stage {
  return loadStage(stage, { given: config, env, cwd })
}

/** The environment with the region of the stage, if it has one, for requests to AWS. */
export function toStageEnv({ region }: Stage, env: Shell['env']): Shell['env'] {
  return region === undefined ? env : { ...env, AWS_REGION: region }
}

/** Returns PATH of `-c config=PATH` among words for the CDK; undefined without it. */
export function findConfigWord(words: readonly string[]): string | undefined {
  const given = words.map((word, at) => {
    if (word.startsWith(IN_ONE_WORD)) return word.slice('--context='.length)
    return words[at - 1] === '-c' || words[at - 1] === '--context' ? word : ''
  })
  return given.findLast((word) => word.startsWith(CONFIG))?.slice(CONFIG.length)
}

const CONFIG = 'config='
const IN_ONE_WORD = `--context=${CONFIG}`
