/** Builds the dashboard from lib/dashboard-rows.ts, with the state of all alarms at the top. */
import { Duration, Stack } from 'aws-cdk-lib'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import { DASHBOARD_ROWS, type Line, type Row, type Widget } from './dashboard-rows.ts'
import { toMetric, toSearchExpression, type WatchedResources } from './watch-metrics.ts'

/** The width of CloudWatch's grid. */
const GRID_COLUMNS = 24
const WIDGET_HEIGHT = 6
const PERIOD_SEC = 300

export function addDashboard(
  scope: Construct,
  watched: WatchedResources,
  alarms: readonly cloudwatch.IAlarm[],
): cloudwatch.Dashboard {
  const status = new cloudwatch.AlarmStatusWidget({
    title: 'Alarms',
    alarms: [...alarms],
    width: GRID_COLUMNS,
    height: 4,
  })
  return new cloudwatch.Dashboard(scope, 'Dashboard', {
    dashboardName: getDashboardName(watched.stageName, Stack.of(scope).region),
    defaultInterval: Duration.hours(3),
    widgets: [[status], ...DASHBOARD_ROWS.flatMap((row) => toRow(watched, row))],
  })
}

/** Dashboards of all regions share one name space. */
export function getDashboardName(stageName: string, region: string): string {
  return `Skillgate-${stageName}-${region}`
}

function toRow(watched: WatchedResources, { title, widgets }: Row): cloudwatch.IWidget[][] {
  const head = new cloudwatch.TextWidget({
    markdown: `## ${title}`,
    width: GRID_COLUMNS,
    height: 1,
  })
  const width = GRID_COLUMNS / widgets.length
  return [[head], widgets.map((widget) => toGraph(watched, widget, width))]
}

function toGraph(watched: WatchedResources, widget: Widget, width: number): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({
    title: widget.title,
    left: widget.lines.map((line) => toMetricLine(watched, line)),
    leftYAxis: { min: 0, label: widget.unit, showUnits: false },
    stacked: widget.stacked ?? false,
    period: Duration.seconds(PERIOD_SEC),
    width,
    height: WIDGET_HEIGHT,
  })
}

function toMetricLine(watched: WatchedResources, line: Line): cloudwatch.IMetric {
  if ('eachOf' in line) return toSearchExpression(watched, line.eachOf, PERIOD_SEC)
  return toMetric(watched, line.watched, { label: line.label, periodSec: PERIOD_SEC })
}
