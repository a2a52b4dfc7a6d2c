from nask.lab.generators.social import make_social_network as make_social_network
from nask.lab.generators.social import make_social_networks as make_social_networks
from nask.lab.generators.synthetic import make_synthetic as make_synthetic
from nask.lab.generators.synthetic import make_synthetic_new as make_synthetic_new
from nask.lab.generators.synthie import make_synthie as make_synthie
from nask.lab.pokec.reader import read_pokec as read_pokec
from nask.lab.rivals.catalogue import rival as rival
