/** Kling's routes by what they make a clip of, and where each is told how long it is. */

/** Where a route reads the model and the length: beside the prompt, in `input`, or nowhere. */
export const klingMakers = {
	text2video: "beside",
	image2video: "beside",
	"multi-image2video": "beside",
	"omni-video": "beside",
	"multi-elements": "beside",
	effects: "within",
	/** Always makes some five seconds more of the clip that it goes on from. */
	"video-extend": "nowhere",
	/** As long as the clip whose lips it moves. */
	"lip-sync": "nowhere",
} as const;

export type KlingMaker = keyof typeof klingMakers;

export const isKlingMaker = (name: unknown): name is KlingMaker =>
	typeof name === "string" && Object.hasOwn(klingMakers, name);
