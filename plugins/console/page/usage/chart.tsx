/** Stacked columns on a canvas. What it shows stands in the tables too, for whoever cannot see it. */
import { useEffect, useRef } from "preact/hooks";
import "./language.ts";
import uPlot from "uplot";
import type { Series } from "./sums.ts";

interface ChartProps {
	/** Below each column. */
	readonly labels: readonly string[];
	readonly series: readonly Series[];
	/** Whether half of one is none, as of calls. */
	readonly whole: boolean;
	/** A figure as the axis says it. */
	readonly say: (value: number) => string;
	/** The chart in a sentence. */
	readonly sentence: string;
}

const height = 220;

/** A canvas knows no variables of the style sheet. */
const colour = (within: HTMLElement, name: string): string => {
	const probe = document.createElement("span");
	probe.style.color = `var(${name})`;
	// Lines and letters in the reader's own colours; columns of one colour would be one.
	if (name.startsWith("--series")) probe.style.setProperty("forced-color-adjust", "none");
	within.append(probe);
	const found = getComputedStyle(probe).color;
	probe.remove();
	return found;
};

/** Each series on top of those before it; drawn from the highest to the lowest, so that the lower ones stay in sight. */
const stacked = (series: readonly Series[], columns: number): number[][] => {
	const sums = new Array<number>(columns).fill(0);
	return series
		.map(({ values }) => {
			for (let at = 0; at < columns; at++) sums[at] = (sums[at] ?? 0) + (values[at] ?? 0);
			return [...sums];
		})
		.reverse();
};

/** 1, 2, 5, 10 … between two lines of a scale. */
const wholeSteps = Array.from({ length: 27 }, (_, at) => ([1, 2, 5][at % 3] ?? 1) * 10 ** Math.floor(at / 3));

const draw = (element: HTMLElement, { labels, series, say, whole }: ChartProps): uPlot => {
	const [ink, rule] = [colour(element, "--quiet"), colour(element, "--rule")];
	const font = "12px 'Instrument Sans', sans-serif";
	const bars = uPlot.paths.bars?.({ size: [0.64, 34] });
	const axis = { stroke: ink, font, ticks: { show: false } };
	return new uPlot(
		{
			width: element.clientWidth,
			height,
			padding: [12, 4, 0, 0],
			cursor: { show: false },
			legend: { show: false },
			scales: {
				x: { time: false, range: [-0.6, labels.length - 0.4] },
				y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
			},
			axes: [
				{
					...axis,
					size: 30,
					grid: { show: false },
					space: Math.max(26, ...labels.map((label) => 12 + 7 * label.length)),
					incrs: [1, 2, 3, 5, 7, 10, 14, 30],
					values: (_, splits) => splits.map((at) => (Number.isInteger(at) ? (labels[at] ?? "") : "")),
				},
				// As wide as what it says: a millionth of a dollar takes nine letters.
				{
					...axis,
					...(whole && { incrs: wholeSteps }),
					size: (_, said) => Math.max(62, ...(said ?? []).map((word) => 14 + 7 * word.length)),
					grid: { stroke: rule, width: 1 },
					values: (_, splits) => splits.map(say),
				},
			],
			series: [
				{},
				...series
					.map((_, index) => {
						const fill = colour(element, `--series-${index + 1}`);
						return { fill, stroke: fill, width: 0, points: { show: false }, ...(bars && { paths: bars }) };
					})
					.reverse(),
			],
		},
		[labels.map((_, index) => index), ...stacked(series, labels.length)],
		element,
	);
};

export const Chart = (props: ChartProps) => {
	const element = useRef<HTMLDivElement>(null);
	const latest = useRef(props);
	latest.current = props;
	const shown = JSON.stringify([props.labels, props.series]);
	useEffect(() => {
		const within = element.current;
		if (!within) return;
		let chart: uPlot | undefined;
		const redraw = () => {
			chart?.destroy();
			chart = draw(within, latest.current);
		};
		redraw();
		// Letters that were not loaded yet would stay another family's until the next drawing.
		void document.fonts.ready.then(redraw);
		const dark = matchMedia("(prefers-color-scheme: dark)");
		dark.addEventListener("change", redraw);
		const sizes = new ResizeObserver(() => chart?.setSize({ width: within.clientWidth, height }));
		sizes.observe(within);
		return () => {
			dark.removeEventListener("change", redraw);
			sizes.disconnect();
			chart?.destroy();
			chart = undefined;
		};
	}, [shown]);
	return <div class="chart" ref={element} role="img" aria-label={props.sentence} />;
};
