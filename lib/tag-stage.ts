/** The tags of every resource of a stage. */
import { type App, Tags } from 'aws-cdk-lib'
import type { Stage } from './stage.ts'

export function tagStage(app: App, { name }: Pick<Stage, 'name'>): void {
  Tags.of(app).add('Project', 'skillgate')
  Tags.of(app).add('Stage', name)
}
