/** Every kind of world, for the tests and for long runs. Each writing flow runs in one of them. */
import type { Plant } from './plant.ts'
import { type Run, runScenario, type Scenario } from './scenario.ts'
import { answers } from './scenarios/answers.ts'
import { askingTasks } from './scenarios/asking-tasks.ts'
import { budgets } from './scenarios/budgets.ts'
import { runCalls, runKeyedCalls } from './scenarios/calls.ts'
import { equalCalls } from './scenarios/equal-calls.ts'
import { events } from './scenarios/events.ts'
import { failingTools } from './scenarios/failing-tools.ts'
import { guides } from './scenarios/guides.ts'
import { identities } from './scenarios/identities.ts'
import { invitations } from './scenarios/invitations.ts'
import { issuerKeys } from './scenarios/issuer-keys.ts'
import { jobs } from './scenarios/jobs.ts'
import { keys } from './scenarios/keys.ts'
import { leases } from './scenarios/leases.ts'
import { lists } from './scenarios/lists.ts'
import { logins } from './scenarios/logins.ts'
import { migration } from './scenarios/migration.ts'
import { privateSkills } from './scenarios/private-skills.ts'
import { secrets, sharedSecrets } from './scenarios/secrets.ts'
import { sessions } from './scenarios/sessions.ts'
import { skillSets } from './scenarios/skill-sets.ts'
import { skillVersions } from './scenarios/skill-versions.ts'
import { sseCalls } from './scenarios/sse-calls.ts'
import { stagedLists } from './scenarios/staged-lists.ts'
import { subKeys } from './scenarios/sub-keys.ts'
import { tasks } from './scenarios/tasks.ts'
import { trail } from './scenarios/trail.ts'
import { upstreams } from './scenarios/upstreams.ts'
import { usage } from './scenarios/usage.ts'
import { usernames } from './scenarios/usernames.ts'
import { users } from './scenarios/users.ts'

export type Runner = {
  readonly name: string
  readonly run: (seed: number, plant: Plant, tracing?: boolean) => Promise<Run>
}

const runnerOf = (scenario: Scenario): Runner => ({
  name: scenario.name,
  run: (seed, plant, tracing) => runScenario(scenario, seed, plant, tracing),
})

const WORLDS: readonly Scenario[] = [
  secrets,
  sharedSecrets,
  keys,
  invitations,
  logins,
  identities,
  issuerKeys,
  guides,
  upstreams,
  migration,
  sessions,
  sseCalls,
  leases,
  lists,
  privateSkills,
  skillSets,
  skillVersions,
  stagedLists,
  usernames,
  users,
  budgets,
  subKeys,
  trail,
  usage,
  answers,
  equalCalls,
  events,
  failingTools,
  tasks,
  askingTasks,
  jobs,
]

export const SCENARIOS: readonly Runner[] = [
  { name: 'calls', run: runCalls },
  { name: 'keyed calls', run: runKeyedCalls },
  ...WORLDS.map(runnerOf),
]

/** The command that runs one seed of a scenario again, with its story. */
export function replayCommand(name: string, seed: number): string {
  return `SIMULATION_SEED=${seed} SIMULATION_RUNS=1 npx vitest run --project alone test/interleavings/interleavings.test.ts -t "requests of ${name} keep"`
}
