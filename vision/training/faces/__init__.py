"""Training of the judge (dicevision.judge): drawn scenes of many dice, candidate faces, the net, the model files.

`python -m training.faces OUT --seed 11` draws, trains and writes the model; stopped, it goes on where it was.

scatter.py draws dice fast, as shaded polygons · litter.py what else lies on a table · truth.py what each face is ·
tries.py candidates of the real finder, of true faces and of chance, cut and labelled · shards.py keeps them on disk ·
net.py, fit.py, files.py the net, its training and what ships.
"""
