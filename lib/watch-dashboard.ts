/** Builds the one dashboard from lib/dashboard-rows.ts, with the state of all alarms above it. */
import { Duration, Stack } from 'aws-cdk-lib'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import { type Line, ROWS, type Row, type Widget } from './dashboard-rows.ts'
import { eachOf, metricOf, type WatchedResources } from './watch-metrics.ts'

/** Width of CloudWatch's grid. */
const COLUMNS = 24
const WIDGET_ROWS = 6
const PERIOD_SEC = 300

export function addDashboard(
  scope: Construct,
  watched: WatchedResources,
  alarms: readonly cloudwatch.IAlarm[],
): cloudwatch.Dashboard {
  const status = new cloudwatch.AlarmStatusWidget({
    title: 'Alarms',
    alarms: [...alarms],
    width: COLUMNS,
    height: 4,
  })
  return new cloudwatch.Dashboard(scope, 'Dashboard', {
    // Dashboards of all regions share one name space.
    dashboardName: `Skillgate-${watched.stageName}-${Stack.of(scope).region}`,
    defaultInterval: Duration.hours(3),
    widgets: [[status], ...ROWS.flatMap((row) => rowOf(watched, row))],
  })
}

function rowOf(watched: WatchedResources, { title, widgets }: Row): cloudwatch.IWidget[][] {
  const head = new cloudwatch.TextWidget({ markdown: `## ${title}`, width: COLUMNS, height: 1 })
  const width = COLUMNS / widgets.length
  return [[head], widgets.map((widget) => graphOf(watched, widget, width))]
}

function graphOf(watched: WatchedResources, widget: Widget, width: number): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({
    title: widget.title,
    left: widget.lines.map((line) => lineOf(watched, line)),
    leftYAxis: { min: 0, label: widget.unit, showUnits: false },
    stacked: widget.stacked ?? false,
    period: Duration.seconds(PERIOD_SEC),
    width,
    height: WIDGET_ROWS,
  })
}

function lineOf(watched: WatchedResources, line: Line): cloudwatch.IMetric {
  if ('eachCodeOf' in line) return eachOf(watched, line.eachCodeOf, PERIOD_SEC)
  return metricOf(watched, line.watched, { label: line.label, periodSec: PERIOD_SEC })
}
