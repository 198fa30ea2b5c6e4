/**
 * A deploy moves the aliases, and a rollback moves them back, on a stage of this machine. Pauses end
 * at once; what happens during a pause is what the test does there.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readLiveWords, releaseStage } from '../../../../cli/clone/release/release-stage.ts'
import { rollbackStage } from '../../../../cli/clone/release/rollback.ts'
import { type CommandOutcome, runIn } from '../../test-shell.ts'
import { AwsStage, refused } from './aws-stage.ts'

const DEV = { name: 'dev', privateHosts: [] }
const AGENTS = 'Skillgate-dev-AgentsHurt'

let stage: AwsStage
let env: { readonly [name: string]: string }

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  stage = new AwsStage({ Mcp: ['public'], Execute: ['public', 'internal'] })
  stage.alarms[AGENTS] = 'OK'
  stage.alarms['Skillgate-dev-MoneyInDoubt'] = 'OK'
  env = await stage.listen()
})
afterEach(() => {
  stage.close()
  vi.unstubAllEnvs()
})

type Options = {
  readonly minutes?: number
  /** Called in each pause. */
  readonly meanwhile?: () => unknown
}

function release({ meanwhile, minutes = 0 }: Options = {}): Promise<CommandOutcome> {
  return runIn(
    (shell) => releaseStage({ name: 'dev', canaryMinutes: minutes }, shell, pauses(meanwhile)),
    {
      env,
    },
  )
}

function rollBack(to?: number, meanwhile?: () => unknown): Promise<CommandOutcome> {
  return runIn((shell) => rollbackStage({ stage: 'dev', to }, shell, pauses(meanwhile)), { env })
}

function pauses(meanwhile: (() => unknown) | undefined) {
  return async () => {
    await meanwhile?.()
  }
}

/** Publishes a version, as `cdk deploy` does. */
function publish(version: string): void {
  for (const door of Object.keys(stage.newest)) stage.newest[door] = version
}

/** Where all aliases stand; `undefined` if they differ. */
function at(): string | undefined {
  const [one, ...others] = new Set(Object.values(stage.standing()))
  return others.length === 0 ? one : undefined
}

function numbers(): readonly unknown[] {
  const releases: { number: number; versions: { Mcp: string } }[] = JSON.parse(stage.releases)
  return releases.map(({ number, versions }) => `${number}: ${versions.Mcp}`)
}

describe('a deploy', () => {
  test('gives the CDK the live versions as parameters, so that it moves no alias', async () => {
    publish('9')
    const words: string[] = []
    await runIn(
      async (shell) => {
        words.push(...(await readLiveWords(DEV, shell)))
        return 0
      },
      { env },
    )
    expect(words.filter((word) => word !== '--parameters').toSorted()).toEqual([
      'Skillgate-dev-Gateway:LiveExecuteVersion=7',
      'Skillgate-dev-Gateway:LiveMcpVersion=7',
    ])
  })

  test('names a restored table to the templates, which CloudFormation knows as a parameter', async () => {
    stage.parameters['RestoredGatewayTable'] = 'Gateway-to-20261123T220000Z'
    const words: string[] = []
    await runIn(
      async (shell) => {
        words.push(...(await readLiveWords(DEV, shell)))
        return 0
      },
      { env },
    )
    expect(words.slice(-2)).toEqual(['-c', 'restoredTable=Gateway-to-20261123T220000Z'])
  })

  test('gives the CDK no parameters before there is a stack', async () => {
    stage.isDeployed = false
    const outcome = await runIn(
      async (shell) => ((await readLiveWords(DEV, shell)).length === 0 ? 0 : 1),
      { env },
    )
    expect(outcome.code).toBe(0)
  })

  test('moves every alias to the newest version, and CloudFormation names it then', async () => {
    publish('8')
    const { code, err, out } = await release()
    expect([code, err]).toEqual([0, ''])
    expect(at()).toBe('8')
    expect(stage.parameters).toMatchObject({ LiveMcpVersion: '8', LiveExecuteVersion: '8' })
    expect(numbers()).toEqual(['2: 8', '1: 7'])
    expect(out).toMatch(/^\d\d:\d\d:\d\d {2}mcp:public +7 → 8$/m)
  })

  test('moves nothing where no version is new, and still tells CloudFormation of the first one', async () => {
    stage.parameters['LiveMcpVersion'] = ''
    const { code, out } = await release()
    expect([code, out.includes('every function is at its newest version')]).toEqual([0, true])
    expect(stage.asked.filter((what) => what.includes('PUT'))).toEqual([])
    expect(stage.releases).toBe('[]')
    expect(stage.parameters['LiveMcpVersion']).toBe('7')
  })

  test('gives a tenth of the requests to the new versions before it moves all', async () => {
    publish('8')
    const seen = new Set<string | undefined>()
    const { code, out } = await release({ minutes: 2, meanwhile: () => seen.add(at()) })
    expect(code).toBe(0)
    expect([...seen][0]).toBe('7 (8: 0.1)')
    expect(at()).toBe('8')
    expect(stage.asked.filter((what) => what.includes('DescribeAlarms'))).toHaveLength(9)
    expect(out).toContain('no alarm after 1 of 2 minutes')
  })

  test('moves back by itself when a composite alarm begins to ring', async () => {
    publish('8')
    const ring = () => {
      stage.alarms[AGENTS] = 'ALARM'
    }
    const { code, err, out } = await release({ minutes: 10, meanwhile: ring })
    expect([code, at()]).toEqual([1, '7'])
    expect(out).toContain(`moving back: ${AGENTS} rings`)
    expect(err).toContain('The new versions are published and get no requests.')
    expect(stage.parameters['LiveMcpVersion']).toBe('7')
  })

  test('is not stopped by an alarm that rang before, nor by one of another stage or sort', async () => {
    publish('8')
    stage.alarms[AGENTS] = 'ALARM'
    stage.alarms['Skillgate-dev-eu-AgentsHurt'] = 'ALARM'
    stage.alarms['Skillgate-dev-Operations'] = 'ALARM'
    const { code, out } = await release({ minutes: 1 })
    expect([code, at()]).toEqual([0, '8'])
    expect(out).toContain(`rings already, and does not count: ${AGENTS}\n`)
  })

  test('moves nothing if the alarms cannot be read before the canary', async () => {
    publish('8')
    stage.intercept = ({ what }) => (what.includes('Alarms') ? refused('not you') : undefined)
    const { code, out } = await release({ minutes: 1 })
    expect([code, at()]).toEqual([1, '7'])
    expect(out).toContain('not you')
  })

  test.each([
    [2, 0, '8'],
    [3, 1, '7'],
  ])(
    'that fails to read the alarms %i times in a row during a canary ends with %i, at version %s',
    async (failures, code, version) => {
      publish('8')
      let left = 0
      stage.intercept = ({ what }) => {
        if (!what.includes('Alarms') || left === 0) return undefined
        left -= 1
        return refused('busy')
      }
      let pausesSeen = 0
      const meanwhile = () => {
        pausesSeen += 1
        if (pausesSeen === 1) left = failures
      }
      const outcome = await release({ minutes: 2, meanwhile })
      expect([outcome.code, at()]).toEqual([code, version])
    },
  )

  test('stops and moves nothing more once a rollback has taken over', async () => {
    publish('8')
    const { code, err } = await release({
      minutes: 1,
      meanwhile: () => {
        for (const name of stage.aliases.keys()) stage.move(name, '6')
      },
    })
    expect([code, at()]).toEqual([1, '6'])
    expect(err).toContain('Another deploy or a rollback has taken over')
  })

  test('that is interrupted leaves the tenth, says so, and the next one ends it', async () => {
    publish('8')
    const { code, err } = await release({
      minutes: 1,
      meanwhile: () => {
        throw new DOMException('This operation was aborted', 'AbortError')
      },
    })
    expect([code, at()]).toEqual([1, '7 (8: 0.1)'])
    expect(err).toContain('skillgate rollback --stage dev')
    publish('9')
    expect((await release()).code).toBe(0)
    expect(at()).toBe('9')
    // Version 8 never had all requests, so no rollback goes there.
    expect(numbers()).toEqual(['3: 9', '1: 7'])
  })

  test('that can no longer move aliases says that some requests go to the new versions', async () => {
    publish('8')
    let isBroken = false
    stage.intercept = ({ what }) =>
      isBroken && what.includes('PUT') ? { status: 500, body: 'down' } : undefined
    const { code, err } = await release({
      minutes: 1,
      meanwhile: () => {
        isBroken = true
      },
    })
    expect([code, at()]).toEqual([1, '7 (8: 0.1)'])
    expect(err).toContain('Some requests go to the new versions.')
  })

  test('that cannot update the stack is live, says so, and the next one tells CloudFormation', async () => {
    publish('8')
    stage.intercept = ({ what }) => (what.includes('UpdateStack') ? refused('denied') : undefined)
    const { code, err } = await release()
    expect([code, at(), stage.parameters['LiveMcpVersion']]).toEqual([0, '8', '7'])
    expect(err).toContain('The new versions are live. CloudFormation does not know it yet:')
    stage.intercept = () => undefined
    await release()
    expect(stage.parameters['LiveMcpVersion']).toBe('8')
  })
})

describe('a rollback', () => {
  /** Releases 7, 8 and so on, each whole. */
  async function releaseUpTo(last: number): Promise<void> {
    for (let version = 8; version <= last; version += 1) {
      publish(String(version))
      await release()
    }
  }

  test('moves all functions to the versions before the last shift, and does nothing the second time', async () => {
    await releaseUpTo(9)
    const first = await rollBack()
    expect([first.code, first.err, at()]).toEqual([0, '', '8'])
    expect(first.out).toMatch(/stage dev goes to release 2 of /)
    expect(first.out).toMatch(/execute:internal +9 → 8\n/)
    expect(stage.parameters).toMatchObject({ LiveMcpVersion: '8', LiveExecuteVersion: '8' })
    stage.asked.length = 0
    const second = await rollBack()
    expect([second.code, at()]).toEqual([0, '8'])
    expect(second.out).toContain('all functions are there already')
    expect(stage.asked.filter((what) => /PUT|UpdateStack/.test(what))).toEqual([])
  })

  test('goes to a kept release by its number, and one without a number never goes forward again', async () => {
    await releaseUpTo(11)
    expect(numbers()).toEqual(['5: 11', '4: 10', '3: 9', '2: 8', '1: 7'])
    expect((await rollBack(2)).code).toBe(0)
    expect(at()).toBe('8')
    expect((await rollBack()).code).toBe(0)
    expect(at()).toBe('8')
  })

  test('keeps five releases before the live one', async () => {
    await releaseUpTo(14)
    expect(numbers()).toEqual(['8: 14', '7: 13', '6: 12', '5: 11', '4: 10', '3: 9'])
    const { code, err } = await rollBack(2)
    expect([code, at()]).toEqual([1, '14'])
    expect(err).toBe('rollback: --to: release 2 is not kept; these are: 8, 7, 6, 5, 4, 3\n')
  })

  test('is not undone by the next rollback after a deploy that followed it', async () => {
    await releaseUpTo(9)
    await rollBack()
    publish('10')
    await release()
    expect(numbers()).toEqual(['4: 10', '2: 8', '1: 7'])
    await rollBack()
    expect(at()).toBe('8')
  })

  test('ends a canary, whose deploy then stops', async () => {
    await releaseUpTo(8)
    publish('9')
    let rolled: CommandOutcome | undefined
    const deployed = await release({
      minutes: 1,
      meanwhile: async () => {
        rolled ??= await rollBack()
      },
    })
    expect(rolled?.out).toContain('8 (10 % at 9) → 8')
    expect([rolled?.code, deployed.code, at()]).toEqual([0, 1, '8'])
  })

  test('wins over a deploy that moves an alias at the same time', async () => {
    await releaseUpTo(9)
    let raced = 0
    stage.intercept = ({ what }) => {
      if (raced < 2 && what.endsWith('PUT /2015-03-31/functions/fn-Mcp/aliases/public')) {
        raced += 1
        stage.move('fn-Mcp:public', '9')
      }
      return undefined
    }
    expect((await rollBack()).code).toBe(0)
    expect([raced, at()]).toEqual([2, '8'])
  })

  test('waits for a deploy of CloudFormation, and moves back what that has moved', async () => {
    await releaseUpTo(9)
    stage.status = 'UPDATE_IN_PROGRESS'
    const { code } = await rollBack(undefined, () => {
      // The deploy had read version 9 before the rollback.
      stage.move('fn-Mcp:public', '9')
      stage.status = 'UPDATE_COMPLETE'
    })
    expect([code, at(), stage.parameters['LiveMcpVersion']]).toEqual([0, '8', '8'])
  })

  test('that cannot tell CloudFormation has moved the functions, and exits with 1', async () => {
    await releaseUpTo(9)
    stage.intercept = ({ what }) => (what.includes('UpdateStack') ? refused('denied') : undefined)
    const { code, err } = await rollBack()
    expect([code, at()]).toEqual([1, '8'])
    expect(err).toContain('The stage is rolled back. CloudFormation does not know it yet:')
  })

  test('that is stopped in the middle goes on when it runs again', async () => {
    await releaseUpTo(9)
    stage.intercept = ({ what }) =>
      what.includes('PUT') && what.includes('internal') ? { status: 500, body: 'down' } : undefined
    const first = await rollBack()
    expect([first.code, at()]).toEqual([1, undefined])
    expect(first.err).toMatch(/^rollback: 1 of 3 aliases were not moved:\n/)
    stage.intercept = () => undefined
    expect((await rollBack()).code).toBe(0)
    expect(at()).toBe('8')
  })

  test('leaves a function alone that is younger than the release', async () => {
    await releaseUpTo(8)
    const releases = JSON.parse(stage.releases)
    for (const { versions } of releases) delete versions.Execute
    stage.releases = JSON.stringify(releases)
    expect((await rollBack()).code).toBe(0)
    expect(stage.standing()).toEqual({
      'fn-Mcp:public': '7',
      'fn-Execute:public': '8',
      'fn-Execute:internal': '8',
    })
  })

  test.each([
    ['nothing was shifted', () => {}, 'no release is kept: nothing was shifted yet'],
    [
      'there is no stack',
      () => {
        stage.isDeployed = false
      },
      'Skillgate-dev-Gateway is not deployed in eu-central-1; is the region right?',
    ],
  ])('says so when %s', async (_, prepare, says) => {
    prepare()
    const { code, err } = await rollBack()
    expect([code, err]).toEqual([1, `rollback: ${says}\n`])
  })
})
